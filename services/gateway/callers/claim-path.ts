/** Reads a claim by its configured path. Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { Claims } from "#shared/base/tokens/jwt-form.ts";

/** A name, names joined by dots, or a list of names where they have dots themselves. */
type ClaimPath = string | readonly string[];

/** Returns the claim; undefined when there is none. A claim whose name has dots comes before a path. */
function claimAt(claims: Claims, path: ClaimPath): unknown {
	if (typeof path === "string" && Object.hasOwn(claims, path)) return claims[path];
	const names = typeof path === "string" ? path.split(".") : path;
	return names.reduce<unknown>(
		(node, name) => (isJsonObject(node) && Object.hasOwn(node, name) ? node[name] : undefined),
		claims,
	);
}

/** Returns a claim that is a text; undefined for any other. */
export function textAt(claims: Claims, path: ClaimPath, maxLength: number): string | undefined {
	const value = claimAt(claims, path);
	if (typeof value !== "string" || value.length > maxLength) return undefined;
	return value !== "" && value.isWellFormed() && !/\p{Cc}/u.test(value) ? value : undefined;
}

/** Returns the words of a claim that is a list of texts, or a text with blanks or commas between words. */
export function wordsAt(claims: Claims, path: ClaimPath): string[] {
	const value = claimAt(claims, path);
	if (typeof value === "string") return value.split(/[\s,]+/).filter((word) => word !== "");
	return Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
}
