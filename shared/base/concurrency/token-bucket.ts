/** A token bucket: an amount that comes back at a rate, up to a burst. */
import { monotonic } from "../clock.ts";

/** The amount that comes back in a second, and the most that there is at once. */
export interface Rate {
	readonly perSecond: number;
	readonly burst: number;
}

/** The bucket is full at first, and may be overdrawn by what was under way at the same time: that is a debt. */
export class TokenBucket {
	readonly #rate: Rate;
	#level: number;
	#at = monotonic();

	constructor(rate: Rate) {
		this.#rate = rate;
		this.#level = rate.burst;
	}

	/** The amount that is there; below 0 for a debt. */
	get level(): number {
		const at = monotonic();
		const { burst, perSecond } = this.#rate;
		this.#level = Math.min(burst, this.#level + ((at - this.#at) / 1_000) * perSecond);
		this.#at = at;
		return this.#level;
	}

	/** Spends 1 if it is there. Whether it was. */
	take(): boolean {
		if (this.level < 1) return false;
		this.spend();
		return true;
	}

	spend(amount = 1): void {
		this.#level = this.level - amount;
	}
}
