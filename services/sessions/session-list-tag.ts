/** Names the content of a page of the session list: whoever has this content need not be sent it again. Pure. */
import { createHash } from "node:crypto";

export interface TaggedSession {
	readonly id: string;
	/** Grows with every change a client can see. */
	readonly rev?: number | undefined;
}

/** An entity tag as of RFC 9110, 8.8.3: weak, because the bytes may differ. */
export function listTag(sessions: readonly TaggedSession[], hasMore: boolean): string {
	const hash = createHash("sha1");
	hash.update(sessions.map(({ id, rev }) => `${id}:${rev}`).join("\n"));
	return `W/"${hash.digest("base64url")}${hasMore ? "+" : ""}"`;
}
