/** The numbers of one sender's packets that have been here. Few come out of order, so only the newest are kept. */
import { monotonic } from "../clock.ts";

/** A packet that is overtaken by more than this is lost. */
const kept = 4_096;

export class SeenNumbers {
	readonly #newest = new Set<number>();
	/** All up to here count as seen. */
	#floor = 0;
	#last = monotonic();

	/** Since the last number that was new. */
	get quietMs(): number {
		return monotonic() - this.#last;
	}

	/** False when the number has been here, or may have been. */
	add(number: number): boolean {
		if (number <= this.#floor || this.#newest.has(number)) return false;
		this.#newest.add(number);
		this.#last = monotonic();
		if (this.#newest.size > kept) this.#raiseFloor();
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
