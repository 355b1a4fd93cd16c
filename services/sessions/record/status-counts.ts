/** Counts the sessions of the installation by status for the metrics, at most once a minute. */
import { monotonic } from "#shared/base/clock.ts";
import type { Metrics, Sample } from "#shared/telemetry/metrics/metrics.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { sessionCollection } from "./session-collection.ts";

const oldMs = 60_000;
const pageSize = 500;
/** The newest sessions that are counted. */
const maxSessions = 10_000;

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
	let after: string | undefined;
	for (let seen = 0; seen < maxSessions; seen += pageSize) {
		const page = {
			limit: pageSize,
			descending: true,
			columns: ["status"] as const,
			...(after !== undefined && { after }),
		};
		const { documents, next } = await store.find(sessionCollection, "created", { equals: [] }, page);
		for (const { status = "" } of documents) found.set(status, (found.get(status) ?? 0) + 1);
		if (next === undefined) break;
		after = next;
	}
	return [...found].map(([status, value]) => ({ labels: [status], value }));
}
