/** Counts by key, such as the requests of each person that are under way. Keys whose count is 0 are not kept. */

export class Tally {
	readonly #counts = new Map<string, number>();

	get size(): number {
		return this.#counts.size;
	}

	/** Yields the keys with their counts. */
	[Symbol.iterator](): IterableIterator<[string, number]> {
		return this.#counts[Symbol.iterator]();
	}

	of(key: string): number {
		return this.#counts.get(key) ?? 0;
	}

	/** @param amount A negative one is taken away. */
	add(key: string, amount = 1): void {
		const count = this.of(key) + amount;
		if (count > 0) this.#counts.set(key, count);
		else this.#counts.delete(key);
	}
}
