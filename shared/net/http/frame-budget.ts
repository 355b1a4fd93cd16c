/** Counts the frames and bytes that a peer sends, and says when it has sent more than its share of a process. */
import { monotonic } from "#shared/base/clock.ts";

/** The amount that a peer may send in a second; a burst has as much. */
export interface FrameRate {
	readonly frames: number;
	readonly bytes: number;
}

/** The budget of one peer, over all its sockets. What is sent beyond it is owed and has to be waited for. */
export class FrameBudget {
	readonly #rate: FrameRate;
	/** The part of a second's budget that has been spent and not come back; more than 1 is a debt. */
	#spent = 0;
	#at = monotonic();

	constructor(rate: FrameRate) {
		this.#rate = rate;
	}

	/** Counts a frame. @returns The milliseconds until the debt is paid; 0 without one. */
	spend(bytes: number): number {
		const cost = Math.max(1 / this.#rate.frames, bytes / this.#rate.bytes);
		this.#spent = this.#present() + cost;
		return Math.max(0, (this.#spent - 1) * 1_000);
	}

	/** Whether nothing of the budget is spent, so that it may be forgotten. */
	get isUntouched(): boolean {
		// Sums of fractions leave a rest.
		return this.#present() < 1e-9;
	}

	#present(): number {
		const at = monotonic();
		this.#spent = Math.max(0, this.#spent - (at - this.#at) / 1_000);
		this.#at = at;
		return this.#spent;
	}
}
