/** Names the content of a page of the session list: whoever has this content need not be sent it again. Pure. */
import { createHash } from "node:crypto";

/**
 * An entity tag as of RFC 9110, 8.8.3: weak, because the bytes may differ.
 * @param lines Id and revision of each session, and whatever there is after `limit` of them.
 */
export function listTag(lines: readonly string[], limit: number): string {
	const hash = createHash("sha1").update(lines.slice(0, limit).join("\n"));
	return `W/"${hash.digest("base64url")}${lines.length > limit ? "+" : ""}"`;
}
