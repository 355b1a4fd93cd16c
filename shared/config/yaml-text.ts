/**
 * YAML of files and variables that may hold secrets: what is wrong is said by its kind and place, because the words of the
 * library repeat the lines, and those end up in logs.
 */
import { type Document, parseAllDocuments } from "yaml";

/** The values of all documents in a text. @throws {SyntaxError} without a word of the text. */
export function yamlDocuments(text: string): unknown[] {
	const documents: readonly Document[] = [...parseAllDocuments(text, { logLevel: "error" })];
	return documents.map((document) => {
		// A tag nobody knows is a warning to the library, and the value behind it is lost.
		const [problem] = [...document.errors, ...document.warnings];
		if (problem) throw new SyntaxError(problemAt(problem.code, problem.linePos?.[0]));
		try {
			return document.toJS();
		} catch {
			throw new SyntaxError("an alias (*) names no anchor (&), or too much");
		}
	});
}

/** The value of a text with one document; `null` for an empty one. @throws {SyntaxError} without a word of the text. */
export function yamlValue(text: string): unknown {
	const [value = null, ...more] = yamlDocuments(text);
	if (more.length > 0) throw new SyntaxError("there is more than one document");
	return value;
}

function problemAt(code: string, place: { line: number; col: number } | undefined): string {
	const kind = code.toLowerCase().replaceAll("_", " ");
	return place ? `${kind} at line ${place.line}, column ${place.col}` : kind;
}
