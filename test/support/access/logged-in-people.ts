/** The people of the proof of access who log in at an OpenID provider, and the configuration of a platform that believes it. */
import type { Caller } from "../../../cli/doctor/caller.ts";
import { audience, ExchangingProvider, type SecurePlace } from "../identity/exchanging-provider.ts";
import { claiming, type ProofPeople } from "./callers.ts";

/** A person: the newest word of a provider decides about the roles, so nobody has several. */
interface Person {
	readonly user: string;
	readonly org: string;
	readonly groups: readonly string[];
	/** The roles that the platform has to see. */
	readonly roles: readonly string[];
}

const owner: Person = { user: "alice", org: "acme", groups: ["developer"], roles: ["developer"] };
const people: Readonly<Record<string, Person>> = {
	"a colleague": { ...owner, user: "bob" },
	"a colleague without a role": { user: "bill", org: "acme", groups: [], roles: ["developer"] },
	"a colleague with unknown roles": { user: "boris", org: "acme", groups: ["Admin"], roles: ["developer"] },
	"a viewer": { user: "vera", org: "acme", groups: ["viewer"], roles: ["viewer"] },
	"an administrator": { user: "root", org: "acme", groups: ["admin"], roles: ["admin", "developer"] },
	"a stranger": { ...owner, user: "carol", org: "other" },
	"a stranger as a viewer": { user: "cyril", org: "other", groups: ["viewer"], roles: ["viewer"] },
	"an administrator of another tenant": {
		user: "cora",
		org: "other",
		groups: ["admin"],
		roles: ["admin", "developer"],
	},
	"an operator": { user: "olga", org: "default", groups: ["admin"], roles: ["admin", "developer"] },
};
const all = { "the owner": owner, ...people };

/** Starts the provider. @param place Default: loopback. */
export function openLogins(place?: SecurePlace): Promise<ExchangingProvider> {
	const claims = Object.entries(all).map(([name, { user, org, groups }]) => [name, { user, org, groups }] as const);
	return ExchangingProvider.start(Object.fromEntries(claims), place);
}

/** Returns the configuration. Nothing in it says that people trust each other's code. */
export function loggedInConfig({ issuer, exchangeOptions }: ExchangingProvider) {
	const named = { user_claim: "user", tenant_claim: "org", role_claim: "groups", user_ids: "unique" };
	return {
		identity: {
			adapter: "services/gateway/identity-providers/oidc.ts#OidcIdentity",
			kwargs: { issuer, audience, ...named },
		},
		pat: {
			token_issuer_adapter: "services/pat/token-issuers/token-exchange.ts#TokenExchange",
			token_issuer_kwargs: exchangeOptions,
		},
		tenants: { default_by_claim: true },
	};
}

/** Logs everybody in. */
export async function loggedInPeople(provider: ExchangingProvider): Promise<ProofPeople> {
	const first = await loggedIn(provider, "the owner", owner);
	const others: Caller[] = [];
	for (const [name, person] of Object.entries(people)) others.push(await loggedIn(provider, name, person));
	const stranger = others.find(({ name }) => name === "a stranger");
	return {
		persons: [first, ...others],
		claimants: stranger ? [claiming(stranger)] : [],
		token: first.headers["authorization"]?.replace("Bearer ", "") ?? "",
	};
}

async function loggedIn(provider: ExchangingProvider, name: string, { user, org, roles }: Person): Promise<Caller> {
	const token = await provider.login(name);
	const principal = { kind: "user", id: user, tenant: org, roles } as const;
	const isOperator = org === "default" && ({ isOperator: true } as const);
	return { name, headers: { authorization: `Bearer ${token}` }, principal, ...isOperator };
}
