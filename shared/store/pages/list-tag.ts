/**
 * Makes the entity tag of a page of a stored list, so that a client with the same content need not get it again.
 * Pure.
 */
import { createHash } from "node:crypto";

/**
 * Returns an entity tag (RFC 9110, 8.8.3); it is weak, because the bytes may differ.
 * @param lines One line per item, which changes with the item, e.g. its id and revision. Lines after the first `limit` only
 * tell that there are more items.
 */
export function listTag(lines: readonly string[], limit: number): string {
	const hash = createHash("sha1").update(lines.slice(0, limit).join("\n"));
	return `W/"${hash.digest("base64url")}${lines.length > limit ? "+" : ""}"`;
}
