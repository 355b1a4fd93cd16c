/** Limits how many tasks run at a time, and how many wait for their turn. */
import { DiffBusyError, DiffTimeoutError } from "./diff-errors.ts";

/** Counts the tasks that run and those that wait. */
export class Semaphore {
	readonly #waitingLimit: number;
	readonly #queue: (() => void)[] = [];
	#free: number;

	constructor(concurrent: number, waiting: number) {
		this.#free = concurrent;
		this.#waitingLimit = waiting;
	}

	/**
	 * Runs the work when it is its turn. @param signal It ends the wait, not the work.
	 * @throws {DiffBusyError} when too many wait; {DiffTimeoutError} when the wait was too long.
	 */
	async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		await this.#take(signal);
		try {
			return await work();
		} finally {
			const next = this.#queue.shift();
			if (next) next();
			else this.#free++;
		}
	}

	async #take(signal: AbortSignal): Promise<void> {
		if (this.#free > 0) {
			this.#free--;
			return;
		}
		if (this.#queue.length >= this.#waitingLimit) throw new DiffBusyError("Too many diffs are asked for at once");
		const turn = Promise.withResolvers<void>();
		this.#queue.push(turn.resolve);
		const giveUp = (): void => {
			const place = this.#queue.indexOf(turn.resolve);
			if (place === -1) return;
			this.#queue.splice(place, 1);
			turn.reject(new DiffTimeoutError("Other diffs took too long"));
		};
		signal.addEventListener("abort", giveUp, { once: true });
		await turn.promise.finally(() => signal.removeEventListener("abort", giveUp));
	}
}
