/** Folds texts for a search that takes upper and lower case for alike. Pure. */

/**
 * Returns the text in lower case and in one form of Unicode (NFC). Stored texts were folded by this function, so a
 * change of it would need them to be written again.
 */
export function foldedText(text: string): string {
	const folded = text.normalize("NFC").toLowerCase();
	// The last sigma of a Greek word has a form of its own. A search of the store takes no U+0000.
	return folded.replaceAll("ς", "σ").replaceAll("\0", "\uFFFD");
}
