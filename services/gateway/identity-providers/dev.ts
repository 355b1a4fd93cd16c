/**
 * Identity for one developer on their own machine: a caller whose program runs as the platform's own user and connects
 * by loopback is `dev-user`. Further people (a shared laptop, a test with two of them) have tokens in the
 * configuration.
 */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { personKey, type Principal } from "#shared/base/principal.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import { LocalTokens } from "#shared/base/tokens/local-tokens.ts";
import { checkedOptions, typedNames } from "../callers/adapter-options.ts";
import { bearerToken } from "../callers/bearer-token.ts";
import type { Ends } from "../http/connection-rows.ts";
import type { IdentityProvider, TokenTrust } from "../callers/identity-provider.ts";
import { PeerOwners } from "../callers/peer-owners.ts";
import { theDeveloper } from "../callers/the-developer.ts";

const text = { type: "string", min: 1, max: 200 } as const;

const options = schema({
	users: {
		type: "array",
		max: 100,
		items: {
			type: "object",
			props: {
				token: { ...text, pattern: "^(?!svcs_)[\\w.~+/-]+=*$" },
				id: text,
				tenant: { ...text, default: "default" },
				roles: { type: "array", max: 20, items: text, default: [] },
			},
		},
		default: [],
	},
});

/** The user id of this process; undefined on systems without users. */
const ownUid = process.geteuid?.();

const unknownUser = "Whose program is at the other end of this connection cannot be found out";
const otherUser = "The program at the other end of this connection runs as another user than the platform";
const way = "The identity `token` is for callers like that (docs/security.md)";

/** The default identity adapter. */
export class DevIdentity implements IdentityProvider {
	static readonly kwargs = Object.keys(options);
	static readonly typedKwargs = typedNames(options);
	static readonly trustsCallers = true;
	static readonly signsTokens = true;
	static readonly configuresPeople = true;
	static readonly forOneProcess: boolean = true;
	readonly loopbackOnly = true;
	readonly tokenTrust?: TokenTrust;
	readonly #owners = new PeerOwners();
	/** The check of each connection; it rejects when the peer is not the own user. */
	readonly #connections = new WeakMap<Ends, Promise<void>>();
	/**
	 * The configured users by the digest of their token, so that the time of a look-up reveals nothing about a token.
	 */
	readonly #users = new Map<string, Principal>();

	/**
	 * @param kwargs.localTokenKey The key of personal access tokens, which the platform supplies; without it none is
	 * accepted.
	 * @throws {ConfigError} when the arguments in the configuration are invalid.
	 */
	constructor({ localTokenKey, ...kwargs }: Partial<Output<typeof options>> & { localTokenKey?: Buffer }) {
		for (const { token, id, tenant, roles } of checkedOptions(options, kwargs).users)
			this.#users.set(digest(token), { kind: "user", id, tenant, roles });
		if (localTokenKey)
			this.tokenTrust = trustIn(new LocalTokens(localTokenKey), [theDeveloper, ...this.#users.values()]);
	}

	async authenticate(headers: IncomingHttpHeaders, connection: Ends): Promise<Principal | undefined> {
		const token = bearerToken(headers, connection);
		if (token !== undefined) return this.#users.get(digest(token));
		await this.#ownUser(connection);
		return theDeveloper;
	}

	/** Returns the own user; each connection is checked once. @throws {ForbiddenError} */
	#ownUser(connection: Ends): Promise<void> {
		const known = this.#connections.get(connection);
		if (known) return known;
		const looked = this.#refuseOthers(connection);
		this.#connections.set(connection, looked);
		return looked;
	}

	async #refuseOthers(connection: Ends): Promise<void> {
		const uid = await this.#owners.find(connection).catch((error: Error) => {
			throw new ForbiddenError(`${unknownUser}: ${error.message}. ${way}`, "FOREIGN_USER");
		});
		if (uid === undefined) throw new ForbiddenError(`${unknownUser}. ${way}`, "FOREIGN_USER");
		if (uid !== ownUid) throw new ForbiddenError(`${otherUser}. ${way}`, "FOREIGN_USER");
	}
}

function trustIn(tokens: LocalTokens, people: readonly Principal[]): TokenTrust {
	const standings = new Map(people.map(({ tenant, id, roles }) => [personKey(tenant, id), { roles }]));
	return {
		claimsOf: (token) => tokens.verify(token),
		standingOf: async ({ tenant, id }) => standings.get(personKey(tenant, id)),
	};
}

function digest(token: string): string {
	return createHash("sha256").update(token).digest("base64");
}
