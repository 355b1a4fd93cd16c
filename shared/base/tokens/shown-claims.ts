/** Reads what a text claims to be, before anybody has verified it. Pure. */
import { isJsonObject } from "../schema/json-object.ts";
import { type Claims, readJwt } from "./jwt-form.ts";
import { TokenRefusedError } from "./token-refused.ts";

/** Longest text that is looked into, in characters; a request's headers have room for no more. */
const maxLength = 16_384;

/**
 * Returns the claims that a text shows to a lenient reader; undefined when it shows none. The reader must not be stricter
 * than any that verifies the token: otherwise another spelling would change what a token is taken for.
 */
export function shownClaims(text: string): Claims | undefined {
	const [, payload, signature] = text.length > maxLength ? [] : text.split(".");
	if (payload === undefined || signature === undefined) return undefined;
	try {
		const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
		return isJsonObject(claims) ? { ...claims } : undefined;
	} catch {
		return undefined;
	}
}

/** Returns the claims of a text in the only spelling of its token; undefined for every other text. */
export function strictClaims(text: string): Claims | undefined {
	try {
		return readJwt(text).claims;
	} catch (error) {
		if (error instanceof TokenRefusedError) return undefined;
		throw error;
	}
}
