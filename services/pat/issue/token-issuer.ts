/** Port: issues personal access tokens. The configuration names the adapter (`pat.token_issuer_adapter`). */
import type { Principal } from "#shared/base/principal.ts";

export interface TokenRequest {
	/** The person whom the token stands for. */
	readonly principal: Principal;
	/** An id that no other token has or had; an issuer that chooses the claims makes it the `jti`. */
	readonly id: string;
	readonly name: string;
	/** The person's own token; absent when the identity needs none. */
	readonly subjectToken?: string | undefined;
	/** The wanted life of the token in seconds. */
	readonly lifetimeSeconds: number;
}

/** The port. The part `pat` creates the adapter at its start. */
export interface TokenIssuer {
	/**
	 * Returns the text of a new token: a JWT that names the person as `sub` and has an `exp`.
	 * @throws {UpstreamError} when the issuer refuses or does not answer; {UnprocessableError} without the person's token,
	 * if the issuer needs one.
	 */
	issue(request: TokenRequest): Promise<string>;
}

/** The static members of an adapter's class, which are read without creating the adapter. */
export interface TokenIssuerClass {
	/** Whether the platform itself signs the tokens. Only an identity with `signsTokens` accepts them. */
	readonly isLocal?: boolean;
}

export const tokenIssuerMethods = ["issue"] as const;
