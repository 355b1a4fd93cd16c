/** Removes answers to commands that are older than their keys are remembered. */
import { every, now, type Timer } from "#shared/clock.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { keptMs } from "./command-answers.ts";
import { keptAnswerCollection } from "./kept-answer-collection.ts";

const everyMs = 30_000;
/** At one look: more than one person may add meanwhile. */
const batch = 500;

export class KeptAnswerSweep {
	readonly #store: DocumentStore;
	#timer: Timer | undefined;
	#running: Promise<void> | undefined;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	/** @param onError Hears of each failure; the next look comes all the same. */
	start(onError: (error: unknown) => void): void {
		this.#timer = every(everyMs, () => {
			this.#running ??= this.sweep()
				.then(() => {}, onError)
				.finally(() => {
					this.#running = undefined;
				});
		});
	}

	/** Finishes what is under way. */
	async stop(): Promise<void> {
		this.#timer?.cancel();
		await this.#running;
	}

	/** Resolves to how many were old, the oldest first. */
	async sweep(): Promise<number> {
		const old = { equals: [], to: now() - keptMs };
		const { documents } = await this.#store.find(keptAnswerCollection, "at", old, { limit: batch, columns: ["at"] });
		// A key may have been used again meanwhile.
		await Promise.all(
			documents.map(({ id, at = 0 }) => this.#store.remove(keptAnswerCollection, id, { equals: { at } })),
		);
		return documents.length;
	}
}
