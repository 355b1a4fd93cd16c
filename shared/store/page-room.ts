/** What one page may take, by number and by bytes. */
import { mostQuotedBytes, quotedBytes } from "../bus/json-size.ts";

export class PageRoom {
	readonly #maxBytes: number;
	#left: number;
	/** Bytes of the texts that were counted. */
	#bytes = 0;
	/** Texts that are counted only when their number alone no longer shows that they fit. */
	#uncounted: string[] = [];
	#mostUncounted = 0;

	/** @param maxBytes Bound of the texts as they stand in a message; default no bound. */
	constructor(limit: number, maxBytes = Infinity) {
		this.#left = limit;
		this.#maxBytes = maxBytes;
	}

	/** Whether one more text has room, which it then takes up. The first text always has. */
	take(text: string): boolean {
		if (this.#left === 0) return false;
		if (this.#maxBytes !== Infinity && !this.#fits(text)) return false;
		this.#left--;
		return true;
	}

	#fits(text: string): boolean {
		const most = mostQuotedBytes(text) + comma;
		if (this.#bytes + this.#mostUncounted + most <= this.#maxBytes) {
			this.#uncounted.push(text);
			this.#mostUncounted += most;
			return true;
		}
		this.#count();
		const bytes = quotedBytes(text) + comma;
		if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) return false;
		this.#bytes += bytes;
		return true;
	}

	#count(): void {
		for (const text of this.#uncounted) this.#bytes += quotedBytes(text) + comma;
		this.#uncounted = [];
		this.#mostUncounted = 0;
	}
}

const comma = 1;
