/** Text of unknown length within a bound: its beginning and its end are retained, with a mark between them. */

export class BoundedText {
	readonly #half: number;
	#head = "";
	#tail = "";
	#length = 0;

	/** @param maxLength The number of characters that are retained. */
	constructor(maxLength: number) {
		this.#half = Math.floor(maxLength / 2);
	}

	/** The number of characters that were added. */
	get length(): number {
		return this.#length;
	}

	append(text: string): void {
		this.#length += text.length;
		const room = this.#half - this.#head.length;
		this.#head += text.slice(0, room);
		this.#tail += text.slice(room);
		// The text grows to twice its bound before it is cut, so that many small pieces do not cost a copy each.
		if (this.#tail.length > 2 * this.#half) this.#tail = this.#tail.slice(-this.#half);
	}

	toString(): string {
		const tail = this.#tail.slice(-this.#half);
		const omitted = this.#length - this.#head.length - tail.length;
		return omitted === 0 ? this.#head + tail : `${this.#head}\n… ${omitted} characters left out …\n${tail}`;
	}
}
