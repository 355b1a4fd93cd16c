/** Removes answers to commands that are older than their keys are remembered. */
import { now } from "#shared/clock.ts";
import { RecurringJob } from "#shared/recurring-job.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { keptMs } from "./command-answers.ts";
import { keptAnswerCollection } from "./idempotency-record-collection.ts";

const everyMs = 30_000;
/** At one look: more than one person may add meanwhile. */
const batch = 500;

export function keptAnswerSweep(store: DocumentStore): RecurringJob {
	return new RecurringJob({
		everyMs,
		work: () => sweepKeptAnswers(store),
		onError: (error) => console.error("Old answers cannot be removed:", error),
	});
}

/** Resolves to how many were old, the oldest first. */
export async function sweepKeptAnswers(store: DocumentStore): Promise<number> {
	const old = { equals: [], to: now() - keptMs };
	const { documents } = await store.find(keptAnswerCollection, "at", old, { limit: batch, columns: ["at"] });
	// A key may have been used again meanwhile.
	await Promise.all(documents.map(({ id, at = 0 }) => store.remove(keptAnswerCollection, id, { equals: { at } })));
	return documents.length;
}
