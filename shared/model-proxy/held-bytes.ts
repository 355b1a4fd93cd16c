/** Counts what several sessions hold in the memory of one process, and leaves each of them its share. */

export class HeldBytes {
	readonly #maxBytes: number;
	#sessions = 0;
	#held = 0;

	/** @param maxBytes What the sessions may hold together beyond their equal shares. */
	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** Counts a session; its owner calls the returned function when it is over. */
	enter(): () => void {
		this.#sessions++;
		return () => void this.#sessions--;
	}

	/** Takes bytes for a session that has `own` with them. Whether there is room; its equal share is always free for it. */
	take(bytes: number, own: number): boolean {
		this.#held += bytes;
		return this.#held <= this.#maxBytes || own <= this.#maxBytes / Math.max(1, this.#sessions);
	}

	give(bytes: number): void {
		this.#held -= bytes;
	}
}
