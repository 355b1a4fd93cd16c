/**
 * Remembers the numbers of one sender's packets. Few packets arrive out of order, so only the newest numbers are
 * stored.
 */
import { monotonic } from "#shared/base/clock.ts";

/** The count of stored numbers. A packet that is overtaken by more packets than this is refused. */
const maxStored = 4_096;

export class SeenNumbers {
	readonly #newest = new Set<number>();
	/** All numbers up to this one count as received. */
	#floor = 0;
	#last = monotonic();

	/** Milliseconds since the last new number. */
	get quietMs(): number {
		return monotonic() - this.#last;
	}

	/** Records the number; returns false when it was received before, or may have been. */
	add(number: number): boolean {
		if (number <= this.#floor || this.#newest.has(number)) return false;
		this.#newest.add(number);
		this.#last = monotonic();
		if (this.#newest.size > maxStored) this.#raiseFloor();
		return true;
	}

	#raiseFloor(): void {
		for (const oldest of this.#newest) {
			this.#newest.delete(oldest);
			this.#floor = Math.max(this.#floor, oldest);
			return;
		}
	}
}
