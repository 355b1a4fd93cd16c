/** Serialises work per key in this process, so that it does not lose races against itself. */
export class KeyedMutex {
	readonly #last = new Map<string, Promise<unknown>>();
	/** Work that has not begun, shared by all callers that request it before. */
	readonly #shared = new Map<string, Promise<void>>();

	/** Runs `work` when all earlier work of this key is over; resolves to its result. */
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

	/** Runs work that does everything there is to do; callers share a run that has not begun. */
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
