/** Work on one thing, one after the other in this process, so that it does not lose races against itself. */
export class KeyedMutex {
	readonly #last = new Map<string, Promise<unknown>>();
	/** Work for all who ask before it begins. */
	readonly #shared = new Map<string, Promise<void>>();

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

	/** The same for work that does whatever there is to do: who asks before it begins needs no other. */
	share(key: string, work: () => Promise<void>): Promise<void> {
		const waiting = this.#shared.get(key);
		if (waiting) return waiting;
		const isFree = !this.#last.has(key);
		const mine = this.run(key, () => {
			this.#shared.delete(key);
			return work();
		});
		if (!isFree) this.#shared.set(key, mine);
		return mine;
	}
}
