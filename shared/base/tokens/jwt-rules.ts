/** The rules for the claims of a verified token: whose, for whom, when, and of which kind. Pure. */
import type { Claims, JwtHeader } from "./jwt-form.ts";
import { type TokenFault, TokenRefusedError } from "./token-refused.ts";

/** The issuer that a token must name, and the audience that it must be for. */
export interface TokenRules {
	readonly issuer: string;
	readonly audience: string;
}

/** The claims that every accepted token has. Times are seconds since 1970. */
export interface StandardClaims {
	/** The subject: the id of the person. */
	readonly sub: string;
	readonly iat: number;
	readonly exp: number;
}

/** The clocks of the issuer and this machine may differ by this much, in seconds. */
const skewSeconds = 30;
/** An issuer's clock may be ahead by this much where it says when it made the token, in seconds. */
const aheadSeconds = 60;
const maxAudiences = 100;

/** The longest subject; every store has room for it. */
const maxSubject = 255;

/** Members that only ID tokens have (OpenID Connect Core 2, 3.3.2.11). */
const idTokenMarks = ["nonce", "at_hash", "c_hash", "s_hash"] as const;
/** Members that say for what, or for which client, an access token was made (RFC 9068 2.2, and its forerunners). */
const accessTokenMarks = ["scope", "scp", "client_id", "cid"] as const;

/**
 * Returns the standard claims of a token that fits the rules now.
 * @param at The time in milliseconds since 1970.
 * @throws {TokenRefusedError}
 */
export function standardClaims(claims: Claims, rules: TokenRules, at: number): StandardClaims {
	const { sub, iss } = claims;
	if (iss !== rules.issuer) refuse("issuer");
	if (!namesAudience(claims["aud"], rules.audience)) refuse("audience");
	if (typeof sub !== "string" || !isSubject(sub)) return refuse("subject");
	return { sub, ...refuseByTime(claims, at) };
}

/** Returns the times of a token that is valid at this time. @throws {TokenRefusedError} */
export function refuseByTime({ exp, iat, nbf }: Claims, at: number): Pick<StandardClaims, "iat" | "exp"> {
	const seconds = at / 1_000;
	if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf)) || iat > exp) return refuse("times");
	if (exp + skewSeconds <= seconds) refuse("expired");
	if (iat > seconds + aheadSeconds || (nbf ?? 0) > seconds + skewSeconds) refuse("not-yet-valid");
	return { exp, iat };
}

/**
 * Refuses tokens that are no access tokens, e.g. an ID token, which shows its client who somebody is and opens nothing.
 * RFC 9068 gives access tokens a type of their own; for issuers that do not, their members tell.
 * @throws {TokenRefusedError}
 */
export function refuseOtherKinds({ typ = "JWT" }: JwtHeader, claims: Claims): void {
	const type = typ.toLowerCase().replace(/^application\//, "");
	const declared = claims["typ"];
	if (declared !== undefined && declared !== "Bearer") refuse("kind");
	if (type === "at+jwt") return;
	if (type !== "jwt") refuse("kind");
	if (declared === "Bearer") return;
	if (idTokenMarks.some((mark) => Object.hasOwn(claims, mark))) refuse("kind");
	if (!accessTokenMarks.some((mark) => Object.hasOwn(claims, mark))) refuse("kind");
}

function namesAudience(aud: unknown, audience: string): boolean {
	if (typeof aud === "string") return aud === audience;
	if (!Array.isArray(aud) || aud.length > maxAudiences) return false;
	return aud.every((one) => typeof one === "string") && aud.includes(audience);
}

/** Whether a text may be the id of a person. Control characters would make two ids look alike in lists and logs. */
function isSubject(text: string): boolean {
	return text.length > 0 && text.length <= maxSubject && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

function isTime(value: unknown): value is number {
	return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function refuse(fault: TokenFault): never {
	throw new TokenRefusedError(fault);
}
