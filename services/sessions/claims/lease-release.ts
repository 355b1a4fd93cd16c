/**
 * Releases leases that an earlier start of this process has left. Without a bus no other process can hold one, so
 * sessions need not wait for their ends after a crash.
 */
import { now } from "#shared/base/clock.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { sessionCollection, type SessionDocument } from "../record/session-collection.ts";

const pageSize = 500;

/** Releases the leases; resolves to their count. Their sessions are due at once. */
export async function releaseLeases(store: Documents): Promise<number> {
	// A leased session is due when its lease ends.
	const leased = { equals: [], from: now(), limit: pageSize };
	let released = 0;
	for await (const page of readPages(store, sessionCollection, "due", leased))
		for (const document of page) if (await release(store, document)) released++;
	return released;
}

/** Releases a lease and increments the fence, so that a report of the former holder would be refused. */
async function release(store: Documents, { id, fence = 0, lease_until }: SessionDocument): Promise<boolean> {
	if (lease_until === undefined) return false;
	const change = { set: { due_at: now() }, unset: ["lease_until"], inc: { fence: 1 } } as const;
	return (await store.update(sessionCollection, id, { equals: { fence } }, change)) !== undefined;
}
