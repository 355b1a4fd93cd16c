/** A transaction of one session: it works on forks, and is refused when others have changed the same documents meanwhile. */
import type { StoredCollection } from "./stored-collection.ts";

interface Fork {
	readonly live: StoredCollection;
	readonly base: StoredCollection;
	readonly own: StoredCollection;
}

export class Transaction {
	readonly #forks = new Map<string, Fork>();

	/** Returns the collection as the transaction sees and changes it. @param live The collection of everybody. */
	collection(live: StoredCollection): StoredCollection {
		const known = this.#forks.get(live.namespace);
		if (known) return known.own;
		const fork = { live, base: live.copy(), own: live.fork() };
		this.#forks.set(live.namespace, fork);
		return fork.own;
	}

	/** Takes everything over, or nothing. @throws {CommandError} for a conflict. */
	commit(): void {
		for (const isTrial of [true, false])
			for (const { live, base, own } of this.#forks.values()) live.merge(own, base, isTrial);
	}
}
