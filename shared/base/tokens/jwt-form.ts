/**
 * Reads the compact form of a signed token (RFC 7515, 7519). One token has one spelling: other strings that a lenient
 * decoder takes for the same token are refused, so that a token can be recognised by its text. Pure.
 */
import { isJsonObject } from "../schema/json-object.ts";
import { TokenRefusedError } from "./token-refused.ts";

/** Most characters of a token; a request's headers have no more than 16 KB altogether. */
const maxLength = 12_000;

const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** The members of a token, as they were signed. */
export type Claims = Readonly<Record<string, unknown>>;

/** The header of a token. A `kid` is no more than a name by which a configured source is asked for a key. */
export interface JwtHeader {
	readonly alg: string;
	readonly kid?: string;
	readonly typ?: string;
}

export interface UnverifiedJwt {
	readonly header: JwtHeader;
	readonly claims: Claims;
}

/** @throws {TokenRefusedError} for a text that is no token, or another spelling of one. */
export function readJwt(text: string): UnverifiedJwt {
	const [, header = "", claims = "", signature = ""] = (text.length <= maxLength && form.exec(text)) || [];
	if (header === "") throw new TokenRefusedError("form");
	bytesOf(signature);
	return { header: headerOf(objectIn(header)), claims: objectIn(claims) };
}

/**
 * Reads the header. Members that change how a token is verified are refused; keys and addresses of keys in it are not
 * read at all.
 */
function headerOf({ alg, kid, typ, crit, b64, zip }: Claims): JwtHeader {
	const isPlain = crit === undefined && b64 === undefined && zip === undefined;
	if (!isPlain || typeof alg !== "string" || !isName(kid) || !isName(typ)) throw new TokenRefusedError("header");
	return { alg, ...(kid !== undefined && { kid }), ...(typ !== undefined && { typ }) };
}

function isName(value: unknown): value is string | undefined {
	return value === undefined || (typeof value === "string" && value.length <= 500);
}

function objectIn(part: string): Claims {
	let value: unknown;
	try {
		value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(part)));
	} catch (cause) {
		throw new TokenRefusedError("form", { cause });
	}
	if (!isJsonObject(value)) throw new TokenRefusedError("form");
	// A member `__proto__` would otherwise be found under names that the token does not have.
	return Object.assign(Object.create(null), value);
}

/** Decodes a part in its only spelling: the unused bits of its last character are zero. */
function bytesOf(part: string): Buffer {
	const bytes = Buffer.from(part, "base64url");
	if (bytes.toString("base64url") !== part) throw new TokenRefusedError("form");
	return bytes;
}
