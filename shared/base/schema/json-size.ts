/** Measures values in bytes of JSON, where possible without writing the JSON text. */

/** The longest number, e.g. `-1.7976931348623157e+308`. */
const longestNumber = 24;
/** The longest escape of a UTF-16 unit: `\u0001`. */
const longestUnit = 6;

/** Texts below this length are written instead of counted, because that takes no longer. */
const longText = 4_096;

/**
 * The bytes of each ASCII character in a JSON string: control characters become `\u0001` or `
 * `.
 */
const asciiBytes = new Uint8Array(128).fill(1);
asciiBytes.fill(longestUnit, 0, 32);
for (const escaped of '\b\t\n\f\r"\\') asciiBytes[escaped.charCodeAt(0)] = 2;

/** Whether a value has at most `limit` bytes as JSON in UTF-8. The JSON text is written only when lengths do not decide. */
export function fitsJson(value: unknown, limit: number): boolean {
	return (
		new Extent(limit).decides(value) ??
		new Extent(limit, longText).decides(value) ??
		Buffer.byteLength(JSON.stringify(value)) <= limit
	);
}

/** Returns the member with most bytes as JSON; undefined when there is none. */
export function largestMember(value: unknown): { readonly name: string; readonly bytes: number } | undefined {
	const sizes = Object.entries(value ?? {}).map(([name, member]) => ({
		name,
		bytes: Buffer.byteLength(JSON.stringify(member) ?? ""),
	}));
	return sizes.toSorted((one, other) => other.bytes - one.bytes)[0];
}

/** Returns the most bytes that a text of this length can have as a JSON string. */
export function mostQuotedBytes(text: string): number {
	return longestUnit * text.length + 2;
}

/** Returns the bytes of a text as a JSON string. When the text is JSON itself, each of its quotes counts twice. */
export function quotedBytes(text: string): number {
	let bytes = 2;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		bytes += unit < 0x80 ? (asciiBytes[unit] ?? 1) : unit < 0x800 ? 2 : wideBytes(text, at);
	}
	return bytes;
}

/**
 * Returns the bytes of a character beyond ASCII. A surrogate of a pair counts for half of its four bytes; a single one
 * is escaped.
 */
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

/** The least and the greatest number of bytes that a value may have as JSON, computed from lengths. */
class Extent {
	least = 0;
	most = 0;
	readonly #limit: number;
	readonly #countedFrom: number;

	/**
	 * @param limit Counting ends when this is certainly exceeded.
	 * @param countedFrom The length from which texts are searched for escapes; by default no text is.
	 */
	constructor(limit: number, countedFrom = Number.POSITIVE_INFINITY) {
		this.#limit = limit;
		this.#countedFrom = countedFrom;
	}

	/** Whether the value fits; undefined when that is not certain. */
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
