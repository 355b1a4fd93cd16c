/**
 * Names a personal access token by what its signature covers, so that no other spelling of it has another name. The
 * signature itself is no name either: one of ECDSA can be changed into another valid one.
 */
import { createHash } from "node:crypto";
import type { Claims } from "./jwt-form.ts";

/**
 * Returns the key of a token: a digest of issuer, subject and `jti`, or of the signed part when it has no `jti`.
 * @param claims The token's claims; where the key decides about access they are verified ones.
 */
export function tokenKey(text: string, claims: Claims): string {
	const { iss, sub, jti } = claims;
	const name =
		typeof jti === "string" && jti !== "" ? ["jti", iss, sub, jti] : ["text", text.slice(0, text.lastIndexOf("."))];
	return digestOf(JSON.stringify(name));
}

/** Returns the SHA-256 digest of a text in hexadecimal digits. */
export function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
