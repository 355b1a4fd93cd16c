/** Checks what an issuer has issued before anybody gets it: the platform must be able to recognise and revoke it. Pure. */
import { UpstreamError } from "#shared/base/errors.ts";
import { tokenKey } from "#shared/base/tokens/token-key.ts";
import type { Claims } from "#shared/base/tokens/jwt-form.ts";
import { shownClaims, strictClaims } from "#shared/base/tokens/shown-claims.ts";
import { isPersonalToken } from "#shared/base/tokens/personal-token.ts";

/** The properties of an issued token that the platform needs. */
interface IssuedToken {
	readonly key: string;
	/** Milliseconds since 1970. */
	readonly expiresAt: number;
}

/** The request that a token answers. */
interface IssueContext {
	/** The person's own token; absent: the platform itself has chosen the subject. */
	readonly subjectToken?: string | undefined;
	/** The client of the issuer; absent: the platform itself is the issuer. */
	readonly clientId?: string | undefined;
	/** Milliseconds since 1970. */
	readonly now: number;
}

/**
 * Returns the properties of the token. @throws {UpstreamError} for a text that is no JWT, stands for somebody else, does
 * not name the issuer's client, or never expires: it would pass for a login, which nobody can revoke.
 */
export function readIssuedToken(text: string, { subjectToken, clientId, now }: IssueContext): IssuedToken {
	const claims = strictClaims(text);
	if (!claims) throw unusable("is no JSON Web Token");
	if (!isPersonalToken(claims, clientId))
		throw unusable("does not name the issuer's client (`azp` or `client_id`), so it could not be revoked");
	const subject = subjectToken === undefined ? undefined : shownClaims(subjectToken)?.["sub"];
	if (subjectToken !== undefined && (subject === undefined || subject !== claims["sub"]))
		throw unusable("stands for another subject than the caller's own token");
	return { key: tokenKey(text, claims), expiresAt: expiryOf(claims, now) };
}

function expiryOf({ exp }: Claims, now: number): number {
	if (typeof exp !== "number" || exp * 1_000 <= now) throw unusable("has no time of expiry in the future");
	return exp * 1_000;
}

function unusable(why: string): UpstreamError {
	return new UpstreamError(`The issuer's token cannot be used: it ${why}`, "TOKEN_UNUSABLE");
}
