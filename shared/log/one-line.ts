/** Makes one line for people of a text that somebody outside the platform has written. */

/**
 * Returns the text without control characters and line breaks, of at most `most` characters. A terminal or a log would obey
 * such characters.
 */
export function oneLine(text: string, most: number): string {
	// The beginning is enough; replacing in a text of any length would take long.
	const line = text
		.slice(0, 4 * most)
		.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
		.trim();
	return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
