/** What one page may take, by number and by bytes. */
import { quotedBytes } from "../bus/json-size.ts";

export class PageRoom {
	readonly #maxBytes: number;
	#left: number;
	#bytes = 0;

	/** @param maxBytes Of texts as they stand in a message; default no bound. */
	constructor(limit: number, maxBytes = Infinity) {
		this.#left = limit;
		this.#maxBytes = maxBytes;
	}

	/** Whether one more text has room, which it then takes up. Of the first one its size does not matter. */
	take(text: string): boolean {
		if (this.#left === 0) return false;
		if (this.#maxBytes !== Infinity) {
			// With the comma behind it.
			const bytes = quotedBytes(text) + 1;
			if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) return false;
			this.#bytes += bytes;
		}
		this.#left--;
		return true;
	}
}
