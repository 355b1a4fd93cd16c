/** Measures how many events wait in documents for the relay, and since when the oldest one does. */
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { measureWaiting } from "#shared/telemetry/metrics/waiting-metrics.ts";
import type { Collection } from "../collection.ts";
import type { DocumentStore } from "../document-store.ts";

const maxDocuments = 100;

/** @param collections The collections whose events the relay moves. */
export function measureOutboxes(metrics: Metrics, store: DocumentStore, collections: readonly Collection[]): void {
	const names = { count: "atelier_outbox_entries", oldestSeconds: "atelier_outbox_oldest_seconds" } as const;
	measureWaiting(metrics, names, async () => {
		const waiting = await Promise.all(collections.map((collection) => store.outbox(collection, maxDocuments)));
		return waiting.flat().flatMap(({ entries }) => entries.map(({ at }) => at));
	});
}
