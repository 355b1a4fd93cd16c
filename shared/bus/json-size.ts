/** How many bytes values have as JSON, found out for less than writing it where that can be. */

/** The longest number, e.g. `-1.7976931348623157e+308`. */
const longestNumber = 24;
/** What a UTF-16 unit may become: `\u0001`. */
const longestUnit = 6;

/** Texts from here on are counted rather than written where their length does not decide. */
const longText = 4_096;
/** To go from quote to quote is slower than to write the text where more than every eighth unit is one. */
const denseAt = 8;

/** Whether a value has at most so many bytes as JSON in UTF-8. The text is written only where lengths do not decide. */
export function fitsJson(value: unknown, limit: number): boolean {
	return (
		new Extent(limit).decides(value) ??
		new Extent(limit, longText).decides(value) ??
		Buffer.byteLength(JSON.stringify(value)) <= limit
	);
}

/** Bytes of a text as a JSON string: of JSON text inside a message, each quote counts twice. */
export function quotedBytes(text: string): number {
	const escapes = escapesIn(text);
	return escapes === undefined ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + escapes + 2;
}

/** Its quotes and backslashes; undefined where it is quicker to write the text, or something else is to be escaped. */
function escapesIn(text: string): number | undefined {
	if (/[^\u0020-\ud7ff\ue000-\uffff]/.test(text)) return undefined;
	const most = text.length / denseAt;
	let count = 0;
	for (const escaped of ['"', "\\"])
		for (let at = text.indexOf(escaped); at !== -1; at = text.indexOf(escaped, at + 1))
			if (++count > most) return undefined;
	return count;
}

/** Bytes that a value may have as JSON, from lengths. */
class Extent {
	least = 0;
	most = 0;
	readonly #limit: number;
	readonly #countedFrom: number;

	/**
	 * @param limit Counting ends when this is exceeded for certain.
	 * @param countedFrom Length from which a text is looked at; default none is.
	 */
	constructor(limit: number, countedFrom = Number.POSITIVE_INFINITY) {
		this.#limit = limit;
		this.#countedFrom = countedFrom;
	}

	/** Whether the value fits, where that is certain. */
	decides(value: unknown): boolean | undefined {
		this.add(value);
		if (this.most <= this.#limit) return true;
		return this.least > this.#limit ? false : undefined;
	}

	add(value: unknown): void {
		if (typeof value === "string") this.#addString(value);
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

	#addString(text: string): void {
		if (text.length < this.#countedFrom) return this.#addText(text.length, 2);
		const bytes = quotedBytes(text);
		this.#addBetween(bytes, bytes);
	}

	#addText(length: number, around: number): void {
		this.#addBetween(length + around, longestUnit * length + around);
	}

	#addBetween(least: number, most: number): void {
		this.least += least;
		this.most += most;
	}
}
