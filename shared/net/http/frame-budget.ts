/** Counts the frames and bytes that a peer sends, and says when it has sent more than its share of a process. */
import { TokenBucket } from "#shared/base/concurrency/token-bucket.ts";

/** The amount that a peer may send in a second; a burst has as much. */
export interface FrameRate {
	readonly frames: number;
	readonly bytes: number;
}

/** The budget of one peer, over all its sockets. What is sent beyond it is owed and has to be waited for. */
export class FrameBudget {
	readonly #rate: FrameRate;
	readonly #seconds = new TokenBucket({ perSecond: 1, burst: 1 });

	constructor(rate: FrameRate) {
		this.#rate = rate;
	}

	/** Counts a frame. @returns The milliseconds until the debt is paid; 0 without one. */
	spend(bytes: number): number {
		this.#seconds.spend(Math.max(1 / this.#rate.frames, bytes / this.#rate.bytes));
		return Math.max(0, -this.#seconds.level * 1_000);
	}

	/** Whether nothing of the budget is spent, so that it may be forgotten. */
	get isUntouched(): boolean {
		// Sums of fractions leave a rest.
		return this.#seconds.level > 1 - 1e-9;
	}
}
