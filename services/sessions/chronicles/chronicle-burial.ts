/** Takes deleted chronicles out of the store: their timeline first, themselves when their last event has left them. */
import { every, type Timer } from "#shared/clock.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { chronicleCollection } from "./chronicle-collections.ts";
import type { ChronicleRecords } from "./chronicle-records.ts";
import type { Timelines } from "./timelines.ts";

const everyMs = 30_000;
/** Whoever writes to one that was deleted meanwhile has ended by then. */
const restMs = 20_000;
const batch = 100;

export class ChronicleBurial {
	readonly #store: DocumentStore;
	readonly #records: ChronicleRecords;
	readonly #timelines: Timelines;
	#timer: Timer | undefined;
	#running: Promise<void> | undefined;

	constructor(store: DocumentStore, records: ChronicleRecords, timelines: Timelines) {
		this.#store = store;
		this.#records = records;
		this.#timelines = timelines;
	}

	/** @param onError Hears of each failure; the next look comes all the same. */
	start(onError: (error: unknown) => void): void {
		this.#timer = every(everyMs, () => {
			this.#running ??= this.bury()
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

	/**
	 * Resolves to how many have gone.
	 * @param restedMs Only those that were deleted so long ago; default 20 s.
	 */
	async bury(restedMs = restMs): Promise<number> {
		const dead = await this.#records.deleted(restedMs, batch);
		let gone = 0;
		for (const { id, rev = 0 } of dead) {
			if (await this.#store.isWaiting(chronicleCollection, id)) continue;
			await this.#timelines.remove(id);
			await this.#store.remove(chronicleCollection, id, { equals: { rev } });
			gone++;
		}
		return gone;
	}
}
