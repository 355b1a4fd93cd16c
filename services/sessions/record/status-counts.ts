/** Counts the sessions of the installation by status for the metrics, at most once a minute. */
import { monotonic } from "#shared/base/clock.ts";
import type { Metrics, Sample } from "#shared/telemetry/metrics/metrics.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { sessionCollection } from "./session-collection.ts";

const oldMs = 60_000;
const pageSize = 500;
/** The pages of the newest sessions, which are counted. */
const maxPages = 20;

export function measureStatuses(metrics: Metrics, store: Documents): void {
	let countedAt = -Infinity;
	let counts: Promise<readonly Sample[]> | undefined;

	metrics.sample("atelier_sessions", async () => {
		if (counts === undefined || monotonic() - countedAt > oldMs) {
			countedAt = monotonic();
			const former = counts;
			const present = count(store);
			// While a later count is under way, the former one is shown.
			counts = former ?? present;
			present.then(
				(found) => (counts = Promise.resolve(found)),
				() => (counts = undefined),
			);
		}
		return counts;
	});
}

async function count(store: Documents): Promise<readonly Sample[]> {
	const found = new Map<string, number>();
	const newest = { equals: [], limit: pageSize, pages: maxPages, descending: true, columns: ["status"] } as const;
	for await (const page of readPages(store, sessionCollection, "created", newest))
		for (const { status = "" } of page) found.set(status, (found.get(status) ?? 0) + 1);
	return [...found].map(([status, value]) => ({ labels: [status], value }));
}
