/** Removes deleted chronicles from the store: first the timeline, then the tombstone after its last event was relayed. */
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { Outbox } from "#shared/store/port/outbox.ts";
import { chronicleCollection } from "./chronicle-collections.ts";
import type { ChronicleRecords } from "./chronicle-records.ts";
import type { Timelines } from "./timelines.ts";

const everyMs = 30_000;
/** The time after a deletion by which all writes that were under way have ended, in milliseconds. */
const restMs = 20_000;
const batch = 100;

interface PurgeDependencies {
	readonly store: Documents & Outbox;
	readonly records: ChronicleRecords;
	readonly timelines: Timelines;
}

export function chroniclePurge(dependencies: PurgeDependencies, log: ServiceLog): RecurringJob {
	return new RecurringJob({
		everyMs,
		work: () => purgeChronicles(dependencies),
		onError: (error) => log.error("Deleted chronicles cannot be removed:", error),
	});
}

/**
 * Removes deleted chronicles; resolves to their count.
 * @param restedMs The least age of their deletion in milliseconds; default 20 s.
 */
export async function purgeChronicles(dependencies: PurgeDependencies, restedMs = restMs): Promise<number> {
	const { store, records, timelines } = dependencies;
	const dead = await records.deleted(restedMs, batch);
	let gone = 0;
	for (const { id, rev = 0 } of dead) {
		if (await store.isWaiting(chronicleCollection, id)) continue;
		await timelines.remove(id);
		await store.remove(chronicleCollection, id, { equals: { rev } });
		gone++;
	}
	return gone;
}
