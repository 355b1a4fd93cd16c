/** Work on one thing, one after the other in this process, so that it does not lose races against itself. */
export class OneByOne {
	readonly #last = new Map<string, Promise<unknown>>();

	/** Resolves to what `work` does, begun when all earlier work under this key is over. */
	async run<T>(key: string, work: () => Promise<T>): Promise<T> {
		const before = this.#last.get(key);
		const mine = before === undefined ? work() : before.then(work, work);
		this.#last.set(key, mine);
		try {
			return await mine;
		} finally {
			if (this.#last.get(key) === mine) this.#last.delete(key);
		}
	}
}
