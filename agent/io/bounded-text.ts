/** Text that may come without end and is kept within a bound: its beginning and its end, with a mark between. */

export class BoundedText {
	readonly #half: number;
	#head = "";
	#tail = "";
	#length = 0;

	/** @param maxLength Characters that are kept. */
	constructor(maxLength: number) {
		this.#half = Math.floor(maxLength / 2);
	}

	/** Characters that came. */
	get length(): number {
		return this.#length;
	}

	append(text: string): void {
		this.#length += text.length;
		const room = this.#half - this.#head.length;
		this.#head += text.slice(0, room);
		this.#tail += text.slice(room);
		// Twice as much before it is cut, so that many small pieces do not cost a copy each.
		if (this.#tail.length > 2 * this.#half) this.#tail = this.#tail.slice(-this.#half);
	}

	toString(): string {
		const tail = this.#tail.slice(-this.#half);
		const left = this.#length - this.#head.length - tail.length;
		return left === 0 ? this.#head + tail : `${this.#head}\n… ${left} characters left out …\n${tail}`;
	}
}
