/**
 * Bounds the answers of pods: a result on the platform's bus may have 900 KB, including its envelope.
 * @example
 * ```ts
 * const text = cutToJsonBytes(output, answerBytes - jsonBytes({ ...answer, text: "" }));
 * ```
 */

/** The bound of one answer in bytes of JSON. */
export const answerBytes = 850 * 1024;

/** Returns the bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
	return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Returns the longest beginning of `text` that has at most `bytes` bytes as a JSON string, without a partial character
 * at its end.
 */
export function cutToJsonBytes(text: string, bytes: number): string {
	if (jsonBytes(text) <= bytes) return text;
	let [fits, tooLong] = [0, text.length];
	while (tooLong - fits > 1) {
		const middle = (fits + tooLong) >> 1;
		if (jsonBytes(wholeStart(text, middle)) <= bytes) fits = middle;
		else tooLong = middle;
	}
	return wholeStart(text, fits);
}

function wholeStart(text: string, length: number): string {
	return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
