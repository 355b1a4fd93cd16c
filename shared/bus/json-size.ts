/** How many bytes values have as JSON, found out for less than writing it where that can be. */

/** The longest number, e.g. `-1.7976931348623157e+308`. */
const longestNumber = 24;
/** What a UTF-16 unit may become: `\u0001`. */
const longestUnit = 6;

/** Texts that are shorter than this are not counted: to write them takes as long. */
const longText = 4_096;

/** Bytes of each ASCII character in a JSON string: control characters become `\u0001` or `\n`. */
const asciiBytes = new Uint8Array(128).fill(1);
asciiBytes.fill(longestUnit, 0, 32);
for (const escaped of '\b\t\n\f\r"\\') asciiBytes[escaped.charCodeAt(0)] = 2;

/** Whether a value has at most so many bytes as JSON in UTF-8. The text is written only where lengths do not decide. */
export function fitsJson(value: unknown, limit: number): boolean {
	return (
		new Extent(limit).decides(value) ??
		new Extent(limit, longText).decides(value) ??
		Buffer.byteLength(JSON.stringify(value)) <= limit
	);
}

/** The most bytes that a text of this length can have as a JSON string. */
export function mostQuotedBytes(text: string): number {
	return longestUnit * text.length + 2;
}

/** Bytes of a text as a JSON string: of JSON text inside a message, each quote counts twice. */
export function quotedBytes(text: string): number {
	let bytes = 2;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		bytes += unit < 0x80 ? (asciiBytes[unit] ?? 1) : unit < 0x800 ? 2 : wideBytes(text, at);
	}
	return bytes;
}

/** A surrogate of a pair counts for half of its four bytes; one that stands alone is escaped. */
function wideBytes(text: string, at: number): number {
	if (!isSurrogate(text.charCodeAt(at))) return 3;
	return isPair(text, at) || isPair(text, at - 1) ? 2 : longestUnit;
}

function isSurrogate(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdfff;
}

function isPair(text: string, at: number): boolean {
	const [high, low] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
	return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
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
