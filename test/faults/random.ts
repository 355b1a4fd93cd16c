/** Random numbers that are the same for the same seed (mulberry32, public domain). */

export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** Returns a number from 0 up to, and not including, 1. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	between(from: number, to: number): number {
		return from + this.next() * (to - from);
	}

	/** @throws {RangeError} when the list is empty. */
	pick<T>(list: readonly T[]): T {
		const one = list[Math.floor(this.next() * list.length)];
		if (one === undefined) throw new RangeError("Nothing to pick from");
		return one;
	}
}
