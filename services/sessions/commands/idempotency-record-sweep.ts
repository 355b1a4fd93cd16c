/** Removes idempotency records that are older than the time for which keys are remembered. */
import { now } from "#shared/base/clock.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { rememberedMs } from "./command-answers.ts";
import { idempotencyRecordCollection } from "./idempotency-record-collection.ts";

const everyMs = 30_000;
/** The most records per round; this is more than one person may add meanwhile. */
const batch = 500;

export function idempotencyRecordSweep(store: Documents, log: ServiceLog): RecurringJob {
	return new RecurringJob({
		everyMs,
		work: () => sweepIdempotencyRecords(store),
		onError: (error) => log.error("Old answers cannot be removed:", error),
	});
}

/** Removes old records, the oldest first; resolves to their count. */
export async function sweepIdempotencyRecords(store: Documents): Promise<number> {
	const old = { equals: [], to: now() - rememberedMs };
	const { documents } = await store.find(idempotencyRecordCollection, "at", old, { limit: batch, columns: ["at"] });
	// A key may have been used again meanwhile, so the removal is guarded.
	await Promise.all(
		documents.map(({ id, at = 0 }) => store.remove(idempotencyRecordCollection, id, { equals: { at } })),
	);
	return documents.length;
}
