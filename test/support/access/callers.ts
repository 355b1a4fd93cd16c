/** The callers of the proof of access on a platform of the tests, with two tenants, all roles, pods and wrong credentials. */
import { createHash, createHmac } from "node:crypto";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { Caller } from "../../../cli/doctor/caller.ts";

/** The people of a proof: the owner first, others, those who claim more than they are, and a token of the owner. */
export interface ProofPeople {
	readonly persons: readonly [Caller, ...Caller[]];
	readonly claimants: readonly Caller[];
	readonly token: string;
}

interface Person {
	readonly name: string;
	readonly id: string;
	readonly tenant: string;
	readonly roles: readonly string[];
}

/** The owner first; some people have several roles, each with a token of its own. */
const people: readonly Person[] = [
	{ name: "the owner", id: "alice", tenant: "acme", roles: ["developer"] },
	{ name: "the owner as an administrator", id: "alice", tenant: "acme", roles: ["admin"] },
	{ name: "the owner as a viewer", id: "alice", tenant: "acme", roles: ["viewer"] },
	{ name: "a colleague", id: "bob", tenant: "acme", roles: ["developer"] },
	{ name: "a colleague without a role", id: "bob", tenant: "acme", roles: [] },
	{ name: "a colleague with unknown roles", id: "bob", tenant: "acme", roles: ["administrator", "Admin"] },
	{ name: "a viewer", id: "vera", tenant: "acme", roles: ["viewer"] },
	{ name: "an administrator", id: "root", tenant: "acme", roles: ["admin", "developer"] },
	{ name: "a stranger", id: "carol", tenant: "other", roles: ["developer"] },
	{ name: "a stranger as a viewer", id: "carol", tenant: "other", roles: ["viewer"] },
	{ name: "an administrator of another tenant", id: "carol", tenant: "other", roles: ["admin"] },
	{ name: "the owner's namesake in another tenant", id: "alice", tenant: "other", roles: ["admin"] },
];

function tokenOf(person: Person): string {
	return createHash("sha256").update(person.name).digest("base64url");
}

function bearer(token: string): Record<string, string> {
	return { authorization: `Bearer ${token}` };
}

/** The people in the form of `identity.kwargs.users`, where a personal access token has the roles that are listed last. */
export const configuredUsers = people.toReversed().map((person) => {
	const { id, tenant, roles } = person;
	return { token: tokenOf(person), id, tenant, roles };
});

/** Returns the people as callers, the owner first. */
function persons(): [Caller, ...Caller[]] {
	const [owner, ...others] = people.map((person): Caller => {
		const { name, id, tenant, roles } = person;
		return { name, headers: bearer(tokenOf(person)), principal: { kind: "user", id, tenant, roles } };
	});
	if (!owner) throw new TypeError("There is no owner");
	return [owner, ...others];
}

/** Returns the people of {@link configuredUsers}. */
export function configuredPeople(): ProofPeople {
	return { persons: persons(), claimants: claimants(), token: configuredUsers.at(-1)?.token ?? "" };
}

/**
 * Returns callers whose headers claim to be the owner, or a pod, and prove nothing.
 * @param session That of the owner.
 * @param token A token of the owner.
 */
export function impostors(session: string, token: string): Caller[] {
	const claims = { "x-auth-user-id": "alice", "x-auth-tenant": "acme", "x-auth-roles": "admin", "x-user-id": "alice" };
	const [payload, signed] = [
		{ alg: "none" },
		{ sub: "alice", tenant_id: "acme", roles: ["admin"], exp: 4_000_000_000 },
	].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
	const hs256 = Buffer.from(JSON.stringify({ alg: "HS256" })).toString("base64url");
	const mac = createHmac("sha256", "secret").update(`${hs256}.${signed}`).digest("base64url");
	const headers: Readonly<Record<string, Record<string, string>>> = {
		"a wrong token": bearer("nobody"),
		"an empty token": { authorization: "Bearer " },
		"a token that is cut": bearer(token.slice(0, -1)),
		"a token with a letter more": bearer(`${token}x`),
		"a token with padding": bearer(`${token}=`),
		"two tokens": { authorization: `Bearer ${token}, Bearer ${token}` },
		"a name and a password": { authorization: `Basic ${Buffer.from(`alice:${token}`).toString("base64")}` },
		"a JSON Web Token without a signature": bearer(`${payload}.${signed}.`),
		"a JSON Web Token of somebody's key": bearer(`${hs256}.${signed}.${mac}`),
		"claims in headers beside a wrong token": { ...bearer("nobody"), ...claims },
		"a pod with a made-up proof": bearer(`svcs_${session}_2_${"A".repeat(43)}`),
	};
	return Object.entries(headers).map(([name, one]) => ({ name, headers: one }));
}

/** Returns somebody whose headers claim beside the credential that they are the owner. */
export function claiming({ name, headers, principal }: Caller): Caller {
	const claims = { "x-auth-user-id": "alice", "x-auth-tenant": "acme", "x-auth-roles": "admin", "x-user-id": "alice" };
	return { name: `${name} with the owner's claims in headers`, headers: { ...headers, ...claims }, principal };
}

/** Returns callers who are others than the owner whatever their headers claim. */
function claimants(): Caller[] {
	const stranger = persons().find(({ name }) => name === "a stranger");
	return [
		...(stranger ? [claiming(stranger)] : []),
		{
			name: "the person who started the platform",
			headers: {},
			principal: { kind: "user", id: "dev-user", tenant: "default", roles: ["admin", "developer"] },
			isOperator: true,
		},
	];
}

/** The sessions whose pods call. */
export interface PodSessions {
	/** The owner's session, which has been started twice. */
	readonly own: string;
	/** Another session of the owner, which has not been started. */
	readonly other: string;
	/** A session of another tenant. */
	readonly strange: string;
}

/** Returns pods as callers. */
export function pods(key: InstallationKey, { own, other, strange }: PodSessions): Caller[] {
	const pod = (name: string, id: string, generation: number): Caller => ({
		name,
		headers: bearer(key.podToken(id, generation)),
		principal: { kind: "pod", id, generation, tenant: "", roles: [] },
	});
	return [
		pod("the session's pod", own, 2),
		{ ...pod("the session's pod of an old generation", own, 1), isStale: true },
		pod("the pod of another session of the owner", other, 0),
		pod("the pod of a stranger's session", strange, 1),
		{ name: "a pod with the proof of another", headers: bearer(key.podToken(other, 0).replace(other, own)) },
	];
}
