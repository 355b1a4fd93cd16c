/** Measures how many launches wait for a place of their owner or for a pod manager, and since when the oldest one does. */
import { now } from "#shared/base/clock.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { measureWaiting } from "#shared/telemetry/metrics/waiting-metrics.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { isLaunch, turnOf } from "../record/launch-places.ts";
import { sessionCollection } from "../record/session-collection.ts";

const pageSize = 500;
/** The most pages of due sessions that are looked at; a claim does not look at more either. */
const maxPages = 10;

export function measureWaitingLaunches(metrics: Metrics, store: Documents): void {
	const count = "atelier_launches_waiting";
	const oldestSeconds = "atelier_launches_waiting_oldest_seconds";
	measureWaiting(metrics, { count, oldestSeconds }, () => requestTimes(store, now()));
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
