/** The callers of the proof of access on a platform in use: the tokens that the doctor was given, and wrong ones. */
import type { Principal } from "#shared/base/principal.ts";
import type { Caller } from "./caller.ts";
import type { Prober } from "./prober.ts";

interface Me {
	readonly user_id: string;
	readonly tenant_id: string;
	readonly roles: readonly string[];
}

/** The tenant whose administrators reach all others, unless it is configured (`tenants.default`). */
const defaultTenant = "default";

/** Returns the caller of a credential, as the platform itself introduces it; without a principal when it is invalid. */
export async function introduced(
	prober: Prober,
	prefix: string,
	{ name, headers }: Pick<Caller, "name" | "headers">,
): Promise<Caller> {
	const { status, text } = await prober.send({ headers }, { method: "GET", path: `${prefix}/me` });
	if (status !== 200) return { name, headers };
	const { user_id: id, tenant_id: tenant, roles } = JSON.parse(text) as Me;
	const principal: Principal = { kind: "user", id, tenant, roles: roles.map(withoutProduct) };
	const isOperator = tenant === defaultTenant && principal.roles.includes("admin");
	return {
		name: `${id} of ${tenant} (${principal.roles.join(", ") || "no role"})`,
		headers,
		principal,
		...(isOperator && { isOperator }),
	};
}

/** The API names roles with the product in front, e.g. `volundr:admin`. */
function withoutProduct(role: string): string {
	return role.slice(role.indexOf(":") + 1);
}

export function bearer(token: string): Record<string, string> {
	return { authorization: `Bearer ${token}` };
}

/** Returns callers with credentials that no platform may accept. @param token A valid token; empty: there is none. */
export function wrongCallers(token: string, session: string): Caller[] {
	const claims = { "x-auth-user-id": "admin", "x-auth-tenant": "default", "x-auth-roles": "admin" };
	const payload = { sub: "admin", tenant_id: "default", roles: ["admin"], exp: 4_000_000_000 };
	const unsigned = [{ alg: "none" }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
	const wrong: Record<string, Record<string, string>> = {
		"a wrong token": bearer("doctor-0"),
		"an empty token": { authorization: "Bearer " },
		"a name and a password": { authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` },
		"a JSON Web Token without a signature": bearer(`${unsigned.join(".")}.`),
		"claims in headers beside a wrong token": { ...bearer("doctor-0"), ...claims },
		"a pod with a made-up proof": bearer(`svcs_${session}_1_${"A".repeat(43)}`),
	};
	for (const [name, spelling] of spellings(token)) wrong[name] = bearer(spelling);
	return Object.entries(wrong).map(([name, headers]) => ({ name, headers }));
}

/** Returns other spellings of a token, which decode to the same bytes in a lenient reader. */
export function spellings(token: string): [string, string][] {
	if (token === "") return [];
	const last = token.at(-1) ?? "";
	return [
		["a token without its last letter", token.slice(0, -1)],
		["a token with another last letter", token.slice(0, -1) + neighbour(last)],
		["a token with padding", `${token}==`],
		["a token with a letter more", `${token}A`],
	];
}

/** Returns a letter of base64url that differs from this one in its lowest bit, which the end of a token may ignore. */
function neighbour(letter: string): string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	return alphabet[alphabet.indexOf(letter) ^ 1] ?? "A";
}
