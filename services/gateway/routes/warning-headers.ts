/** Writes sentences about a request, or about what its answer lacks, into a header for clients. */

/** The header with the sentences: a list of strings (RFC 9651, 3.1), which is a JSON array without its brackets. */
const warningHeader = "Atelier-Warnings";

/** The most sentences of one answer, and the most characters of a sentence. */
const maxTold = 11;
const maxShown = 400;

/** Returns the header; an empty list when there are no sentences. */
export function warningHeaders(sentences: readonly string[]): readonly string[] {
	if (sentences.length === 0) return [];
	return [
		warningHeader,
		sentences
			.slice(0, maxTold)
			.map((text) => JSON.stringify(printable(text.slice(0, maxShown))))
			.join(", "),
	];
}

/** Returns a text as a header can have it: printable ASCII. */
export function printable(text: string): string {
	return text.replaceAll(/[^\u0020-\u007e]/g, "?");
}
