/** How many bytes values have as JSON, found out for less than writing it where that can be. */

/** The longest number, e.g. `-1.7976931348623157e+308`. */
const longestNumber = 24;
/** What a UTF-16 unit may become: `\u0001`. */
const longestUnit = 6;

/** Whether a value has at most so many bytes as JSON in UTF-8. The text is written only where lengths do not decide. */
export function fitsJson(value: unknown, limit: number): boolean {
	const extent = new Extent(limit);
	extent.add(value);
	if (extent.most <= limit) return true;
	return extent.least <= limit && Buffer.byteLength(JSON.stringify(value)) <= limit;
}

/** Bytes of a text as a JSON string: of JSON text inside a message, each quote counts twice. */
export function quotedBytes(text: string): number {
	return Buffer.byteLength(JSON.stringify(text));
}

/** Bytes that a value may have as JSON, from lengths alone. */
class Extent {
	least = 0;
	most = 0;
	readonly #limit: number;

	/** @param limit Counting ends when this is exceeded for certain. */
	constructor(limit: number) {
		this.#limit = limit;
	}

	add(value: unknown): void {
		if (typeof value === "string") this.#addText(value.length, 2);
		else if (typeof value === "number") this.#addBetween(1, longestNumber);
		else if (Array.isArray(value)) this.#addItems(value);
		else if (typeof value === "object" && value !== null) this.#addMembers(value);
		else this.#addBetween(4, 5);
	}

	#addItems(items: readonly unknown[]): void {
		this.#addBetween(1, 2);
		for (const item of items) {
			this.#addBetween(1, 1);
			this.add(item);
			if (this.least > this.#limit) return;
		}
	}

	#addMembers(members: object): void {
		this.#addBetween(1, 2);
		for (const [name, member] of Object.entries(members)) {
			if (member === undefined) continue;
			this.#addText(name.length, 4);
			this.add(member);
			if (this.least > this.#limit) return;
		}
	}

	#addText(length: number, around: number): void {
		this.#addBetween(length + around, longestUnit * length + around);
	}

	#addBetween(least: number, most: number): void {
		this.least += least;
		this.most += most;
	}
}
