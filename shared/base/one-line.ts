/** Makes texts for people of those that somebody outside the platform has written. */

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

/** Returns the text with its lines, without other control characters, of at most `most` characters. */
export function plainText(text: string, most: number): string {
	return text.slice(0, most).replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}
