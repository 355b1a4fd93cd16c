/**
 * Numbers the launches of restored sessions anew. A pod that was started after the backup has a number that the restored
 * session would use again, and would be taken for the session's own pod.
 */
import { now } from "#shared/base/clock.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { Lifecycle } from "#shared/store/port/lifecycle.ts";
import { sessionCollection } from "../record/session-collection.ts";

/** 2026-01-01 in milliseconds since 1970. The names of launches have nine digits, which last for 31 years of seconds. */
const since = Date.UTC(2026, 0, 1);

/**
 * Gives every session a number of its present launch that no pod has: the seconds since 2026, because a session is
 * started less than once a second.
 */
export async function fenceLaunches(store: Documents & Lifecycle): Promise<void> {
	const snapshot = await store.snapshot();
	try {
		for await (const { document } of snapshot.documents(sessionCollection)) {
			const { id, wire, generation: former = 0 } = document;
			const generation = Math.max(former + 1, Math.floor((now() - since) / 1_000));
			const session = JSON.stringify({ ...(JSON.parse(wire) as object), generation });
			await store.update(sessionCollection, id, {}, { wire: session, set: { generation } });
		}
	} finally {
		await snapshot.close();
	}
}
