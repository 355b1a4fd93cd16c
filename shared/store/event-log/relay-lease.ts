/** Names the lease of the relay. */
import { createHash } from "node:crypto";
import type { Collection } from "../collection.ts";

const nameLength = 8;

/**
 * Returns the name of the lease under which the events of these collections are moved. A version with other collections
 * has another lease, so that its events do not wait for a process of the older version, which does not know them.
 */
export function relayLease(collections: readonly Collection[]): string {
	const names = collections.map(({ name }) => name).toSorted();
	return `relay-${createHash("sha256").update(names.join()).digest("hex").slice(0, nameLength)}`;
}
