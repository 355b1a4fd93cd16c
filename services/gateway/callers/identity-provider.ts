/** Port: authenticates the senders of requests. The configuration names one adapter (`identity`). */
import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "#shared/base/principal.ts";
import type { IdentifiedPerson, StoredStanding } from "#shared/contracts/identity/admissions.ts";
import type { Claims } from "#shared/base/tokens/jwt-form.ts";
import type { Ends } from "../http/connection-rows.ts";

/**
 * A person whom the provider has identified. The tenant and the roles of such a person are decided by the platform
 * (services/identity), which may also refuse the person.
 */
export interface ClaimedPerson {
	readonly kind: "claimed";
	readonly person: IdentifiedPerson;
}

/** The port. The gateway creates the adapter at its start and never closes it. */
export interface IdentityProvider {
	/**
	 * Returns the principal of a request with these headers, or the person who has to be admitted; undefined when it has
	 * no valid credential (401). Tokens of session pods are never passed to this method.
	 * @param connection The connection of the request.
	 * @param received The headers as they arrived, as alternating names and values; `headers` joins those of one name.
	 * @throws {ForbiddenError} with a sentence, when the sender is known and may not use this installation.
	 * {UnavailableError} when what proves a credential cannot be had at the moment.
	 */
	authenticate(
		headers: IncomingHttpHeaders,
		connection: Ends,
		received?: readonly string[],
	): Promise<Principal | ClaimedPerson | undefined>;
	/**
	 * The login of browsers, which cannot set headers; absent when the identity has none. It is read at the start.
	 * @throws {StartError}
	 */
	readonly browserLogin?: BrowserLogin;
	/** Whether the gateway may listen only on loopback and refuses foreign Host and Origin headers. */
	readonly loopbackOnly: boolean;
	/**
	 * How long the claims of a request hold for a stream or a chat that it opened, in milliseconds; absent: as long as its
	 * credential is valid.
	 */
	readonly claimsLastMs?: number;
	/** The identity's knowledge of personal access tokens; absent: it accepts none. */
	readonly tokenTrust?: TokenTrust;
}

/** The part of an identity that personal access tokens depend on. Whether a token was revoked is not its business. */
export interface TokenTrust {
	/**
	 * Returns the claims of a token with a valid signature of the issuer, for this installation and in force; undefined
	 * for every other text.
	 */
	claimsOf(token: string): Promise<Claims | undefined>;
	/** Returns the present standing of a person; undefined for one who may not use the installation any more. */
	standingOf(person: Pick<Principal, "tenant" | "id">): Promise<StoredStanding | undefined>;
}

/** The static members of an adapter's class, which are read without creating the adapter. */
export interface IdentityProviderClass {
	/**
	 * Whether every caller may have the rights of the person who started the platform, because all sessions belong to
	 * one person or to people who share the machine. If so, pods need no isolation and repositories may be folders.
	 */
	readonly trustsCallers: boolean;
	/** Whether the identity accepts personal access tokens that the platform signs itself (shared/base/tokens). */
	readonly signsTokens?: boolean;
	/** Whether the identity is refused for a platform with a bus, because it knows its callers by their programs. */
	readonly forOneProcess?: boolean;
	/** Whether all people are in the tenant `tenants.default` unless somebody adds them to another one. */
	readonly sharesOneTenant?: boolean;
	/** Whether the configuration decides about tenant and roles of all people, so that stored memberships are only a copy. */
	readonly configuresPeople?: boolean;
	/** Whether the platform creates a token that commands on the same machine read (shared/config/api-token.ts). */
	readonly storesToken?: boolean;
}

export interface BrowserLogin {
	/** The token that is appended to the printed address, as `/?token=`. */
	readonly token: string;
	/** Returns the `Set-Cookie` header for a browser that sends this text as the token; undefined when it is wrong. */
	cookieFor(text: string): string | undefined;
}
