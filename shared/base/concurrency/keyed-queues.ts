/**
 * One {@link FairQueue} per key. By default the works of a key run one after another, so that changes of one object lose no
 * races against each other in this process.
 */
import { FairQueue, type QueueBounds, type WaitTerms } from "./fair-queue.ts";

export class KeyedQueues {
	readonly #bounds: QueueBounds;
	readonly #queues = new Map<string, FairQueue>();

	constructor(bounds: QueueBounds = {}) {
		this.#bounds = bounds;
	}

	/** Whether a work of this key is under way. */
	isBusy(key: string): boolean {
		return this.#queues.has(key);
	}

	/** Runs `work` when it is its turn among those of the key, in the order of the calls, as {@link FairQueue.run} does. */
	async run<T>(key: string, work: () => Promise<T>, terms?: WaitTerms): Promise<T> {
		const queue = this.#queues.get(key) ?? new FairQueue(this.#bounds);
		this.#queues.set(key, queue);
		try {
			return await queue.run("", work, terms);
		} finally {
			if (queue.isIdle && this.#queues.get(key) === queue) this.#queues.delete(key);
		}
	}
}
