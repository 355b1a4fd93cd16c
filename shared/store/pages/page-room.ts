/** Counts the documents and bytes that one page still has room for. */
import { mostQuotedBytes, quotedBytes } from "#shared/base/schema/json-size.ts";

/** The room of one page; every query makes its own one. */
export class PageRoom {
	readonly #maxBytes: number;
	#documents: number;
	/** The bytes of the counted texts. */
	#bytes = 0;
	/** Texts that are counted only when their number alone no longer proves that they fit. */
	#uncounted: string[] = [];
	#mostUncounted = 0;

	/** @param maxBytes The bound of the texts as JSON strings, in bytes; default no bound. */
	constructor(limit: number, maxBytes = Infinity) {
		this.#documents = limit;
		this.#maxBytes = maxBytes;
	}

	/** Takes room for one more text, and returns whether there was any. The first text always fits. */
	take(text: string): boolean {
		if (this.#documents === 0) return false;
		if (this.#maxBytes !== Infinity && !this.#fits(text)) return false;
		this.#documents--;
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
