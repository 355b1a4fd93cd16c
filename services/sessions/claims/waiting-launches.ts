/** Measures how many launches wait for a place of their owner or for a pod manager, and since when the oldest one does. */
import { monotonic, now } from "#shared/base/clock.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { isLaunch, turnOf } from "../record/launch-places.ts";
import { sessionCollection } from "../record/session-collection.ts";

const pageSize = 500;
/** The most pages of due sessions that are looked at; a claim does not look at more either. */
const maxPages = 10;
/** The two metrics share one look. */
const sharedMs = 500;

export function measureWaitingLaunches(metrics: Metrics, store: Documents): void {
	let lookedAt = -Infinity;
	let found: Promise<number[]> = Promise.resolve([]);

	function look(): Promise<number[]> {
		if (monotonic() - lookedAt < sharedMs) return found;
		lookedAt = monotonic();
		found = requestTimes(store, now());
		return found;
	}

	metrics.sample("atelier_launches_waiting", async () => (await look()).length);
	metrics.sample("atelier_launches_waiting_oldest_seconds", async () => {
		const oldest = (await look()).reduce((least, at) => Math.min(least, at), now());
		return (now() - oldest) / 1_000;
	});
}

/** Returns the times at which the waiting launches were requested. One that a pass works on is due later. */
async function requestTimes(store: Documents, at: number): Promise<number[]> {
	const times: number[] = [];
	const columns = ["status", "desired", "due_at", "requested_at"] as const;
	const due = { equals: [], to: at, limit: pageSize, pages: maxPages, columns };
	for await (const page of readPages(store, sessionCollection, "due", due))
		times.push(...page.filter(isLaunch).map(turnOf));
	return times;
}
