/**
 * Identity of people who log in at an OpenID provider: a caller shows an access token of the provider for this platform's
 * audience. Who somebody is, the claims say; tenant and roles are decided by services/identity.
 */
import type { IncomingHttpHeaders } from "node:http";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { ConfigError } from "#shared/config/config.ts";
import type { IdentifiedPerson } from "#shared/contracts/identity/admissions.ts";
import { shownIn } from "#shared/base/shown-sentences.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import { JwtVerifier, type VerifiedJwt } from "#shared/base/tokens/jwt-verifier.ts";
import { isTrustedAddress, RemoteKeySet } from "#shared/base/tokens/remote-key-set.ts";
import { TokenRefusedError } from "#shared/base/tokens/token-refused.ts";
import { checkedOptions, typedNames } from "../callers/adapter-options.ts";
import { bearerToken } from "../callers/bearer-token.ts";
import { textAt, wordsAt } from "../callers/claim-path.ts";
import type { Ends } from "../http/connection-rows.ts";
import type { ClaimedPerson, IdentityProvider, TokenTrust } from "../callers/identity-provider.ts";
import type { NoteRefusal } from "../refused-logins.ts";
import { tokenRefusal } from "./token-refusal.ts";
import { personId, personIdOptions } from "./person-id.ts";
import { mappedRoles, roleOptions, rolesOfSilence } from "../callers/role-mapping.ts";

const text = { type: "string", min: 1, max: 500 } as const;
const path = { type: "multi", rules: [text, { type: "array", min: 1, max: 10, items: text }] } as const;
const subjects = { type: "array", max: 100, items: { type: "string", min: 1, max: 255 } } as const;

const options = schema({
	issuer: text,
	audience: text,
	// A `data:` URL has the keys of a provider with their certificates.
	jwks_uri: { type: "string", min: 1, max: 20_000, optional: true },
	user_claim: { ...path, optional: true },
	email_claim: { ...path, optional: true },
	name_claim: { ...path, optional: true },
	tenant_claim: { ...path, optional: true },
	role_claim: { ...path, optional: true },
	administrators: { ...subjects, optional: true },
	max_lifetime_seconds: { type: "number", integer: true, min: 60, max: 604_800, default: 86_400 },
	...personIdOptions,
	...roleOptions,
});

type Options = Output<typeof options>;

/** The arguments: those of the configuration, and what the platform supplies. */
export interface OidcArguments extends Readonly<Record<string, unknown>> {
	readonly log?: ServiceLog;
	/** The sentences that `/health` shows. */
	readonly shortcomings?: string[];
	/** Takes the reason why a login is refused. */
	readonly refused?: NoteRefusal;
	/** Returns the present standing of a person; absent: no personal access tokens are accepted. */
	readonly standing?: TokenTrust["standingOf"];
}

export class OidcIdentity implements IdentityProvider {
	static readonly kwargs = Object.keys(options);
	static readonly typedKwargs = typedNames(options);
	static readonly trustsCallers: boolean = false;
	readonly loopbackOnly = false;
	readonly tokenTrust?: TokenTrust;
	readonly #options: Options;
	readonly #verifier: JwtVerifier;
	readonly #refused: NoteRefusal;
	/** The persons of the tokens that the verifier remembers. */
	readonly #people = new WeakMap<VerifiedJwt, IdentifiedPerson>();

	/** @throws {ConfigError} for arguments that are wrong, or with which tokens could be forged. */
	constructor(kwargs: OidcArguments) {
		this.#options = checkedOptions(options, kwargs);
		this.#refused = kwargs.refused ?? (() => {});
		const { issuer, audience, jwks_uri, tenant_claim, user_claim } = this.#options;
		if (tenant_claim !== undefined && user_claim !== undefined && kwargs["user_ids"] === undefined)
			throw new ConfigError(
				`Configuration key "identity.kwargs.user_ids" must say whether values of "user_claim" are "unique" in all tenants of the provider, or "per-tenant"`,
			);
		for (const [name, url] of Object.entries({ issuer, jwks_uri }))
			if (url !== undefined && !isTrustedAddress(url))
				throw new ConfigError(`Configuration key "identity.kwargs.${name}" must be an https URL, or http on loopback`);
		const show = shownIn(kwargs.shortcomings ?? []);
		const onError = (error: unknown) => {
			kwargs.log?.error("The keys of the identity provider cannot be read:", error);
			show([unreadableKeys(issuer)]);
		};
		this.#verifier = new JwtVerifier({
			issuer,
			audience,
			keys: new RemoteKeySet({ issuer, jwksUri: jwks_uri, onError, onRead: () => show([]) }),
		});
		const { standing: standingOf } = kwargs;
		if (standingOf) this.tokenTrust = { claimsOf: async (token) => (await this.#verified(token))?.claims, standingOf };
	}

	async authenticate(headers: IncomingHttpHeaders, connection: Ends): Promise<ClaimedPerson | undefined> {
		const token = bearerToken(headers, connection);
		if (token === undefined) return undefined;
		const verified = await this.#verified(token, true);
		const person = verified && this.#personOf(verified);
		return person && { kind: "claimed", person };
	}

	/** @param isLogin Whether the token is shown as a login, whose refusal is told to operators. */
	#verified(token: string, isLogin = false): Promise<VerifiedJwt | undefined> {
		return this.#verifier.verify(token).catch((error: unknown) => {
			if (!(error instanceof TokenRefusedError)) throw error;
			if (isLogin) this.#refused(error.fault, tokenRefusal(error.fault, token, this.#options));
			return undefined;
		});
	}

	/** Returns the person; undefined for a token that lives longer than logins do, or whose claims name nobody. */
	#personOf(verified: VerifiedJwt): IdentifiedPerson | undefined {
		const known = this.#people.get(verified);
		const person = known ?? this.#readPerson(verified);
		if (!known && person) this.#people.set(verified, person);
		return person;
	}

	#readPerson({ sub, iat, exp, claims }: VerifiedJwt): IdentifiedPerson | undefined {
		const { user_claim, email_claim = "email", name_claim = "name", max_lifetime_seconds } = this.#options;
		const tenancy = this.#tenantOf(claims);
		const id = personId(
			user_claim === undefined ? sub : textAt(claims, user_claim, 255),
			tenancy.tenant,
			this.#options,
		);
		if (id === undefined)
			return this.#refuse("no-user", `The token is refused: it has no user id (${String(user_claim ?? "sub")})`);
		if (exp - iat > max_lifetime_seconds)
			return this.#refuse("lifetime", livesTooLong(exp - iat, max_lifetime_seconds));
		const email = textAt(claims, email_claim, 320);
		const name = textAt(claims, name_claim, 255);
		const described = { ...(email !== undefined && { email }), ...(name !== undefined && { name }) };
		return { id, ...described, ...tenancy, ...this.#rolesOf(sub, claims), as_of: iat * 1_000 };
	}

	#refuse(reason: string, sentence: string): undefined {
		this.#refused(reason, sentence);
	}

	#tenantOf(claims: VerifiedJwt["claims"]): Pick<IdentifiedPerson, "tenant"> {
		const { tenant_claim } = this.#options;
		return tenant_claim === undefined ? {} : { tenant: textAt(claims, tenant_claim, 100) ?? null };
	}

	/** Administrators are named by subject: people may choose their address, but not their subject. */
	#rolesOf(sub: string, claims: VerifiedJwt["claims"]): Pick<IdentifiedPerson, "roles"> {
		const { role_claim, administrators = [] } = this.#options;
		if (administrators.includes(sub)) return { roles: ["admin"] };
		if (role_claim === undefined) return rolesOfSilence(this.#options);
		return { roles: mappedRoles(wordsAt(claims, role_claim), this.#options) };
	}
}

function unreadableKeys(issuer: string): string {
	return (
		`The keys of the identity provider "${issuer}" cannot be read; the log says why. Logins go on for an hour after the last reading, ` +
		"and those with a new key are refused"
	);
}

function livesTooLong(seconds: number, most: number): string {
	return `The token is refused: it lives ${seconds} s, and ${most} s are allowed (identity.kwargs.max_lifetime_seconds)`;
}
