/** Measures how many events wait in documents for the relay, and since when the oldest one does. */
import { monotonic, now } from "#shared/base/clock.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { Collection } from "../collection.ts";
import type { DocumentStore } from "../document-store.ts";

const maxDocuments = 100;
/** The two metrics share one look. */
const sharedMs = 500;

/** @param collections The collections whose events the relay moves. */
export function measureOutboxes(metrics: Metrics, store: DocumentStore, collections: readonly Collection[]): void {
	let lookedAt = -Infinity;
	let found: Promise<number[]> = Promise.resolve([]);

	function look(): Promise<number[]> {
		if (monotonic() - lookedAt < sharedMs) return found;
		lookedAt = monotonic();
		found = Promise.all(collections.map((collection) => store.outbox(collection, maxDocuments))).then((waiting) =>
			waiting.flat().flatMap(({ entries }) => entries.map(({ at }) => at)),
		);
		return found;
	}

	metrics.sample("atelier_outbox_entries", async () => (await look()).length);
	metrics.sample("atelier_outbox_oldest_seconds", async () => {
		const oldest = (await look()).reduce((least, at) => Math.min(least, at), now());
		return (now() - oldest) / 1_000;
	});
}
