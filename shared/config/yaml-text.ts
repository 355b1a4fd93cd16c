/**
 * Parses YAML of files and variables that may hold secrets. Errors name the kind and the place only, because the
 * library's messages repeat lines of the text, and messages end up in logs.
 * @example
 * ```ts
 * yamlValue("port: 8080"); // { port: 8080 }
 * ```
 */
import { type Document, parseAllDocuments } from "yaml";

/** Returns the values of all documents in a text. @throws {SyntaxError} without any part of the text. */
export function yamlDocuments(text: string): unknown[] {
	const documents: readonly Document[] = [...parseAllDocuments(text, { logLevel: "error" })];
	return documents.map((document) => {
		// The library only warns of an unknown tag, but loses the value behind it.
		const [problem] = [...document.errors, ...document.warnings];
		if (problem) throw new SyntaxError(problemAt(problem.code, problem.linePos?.[0]));
		try {
			return document.toJS();
		} catch {
			throw new SyntaxError("an alias (*) names no anchor (&), or too much");
		}
	});
}

/**
 * Returns the value of a text with one document; `null` for an empty text. @throws {SyntaxError} without any part of
 * the text.
 */
export function yamlValue(text: string): unknown {
	const [value = null, ...more] = yamlDocuments(text);
	if (more.length > 0) throw new SyntaxError("there is more than one document");
	return value;
}

function problemAt(code: string, place: { line: number; col: number } | undefined): string {
	const kind = code.toLowerCase().replaceAll("_", " ");
	return place ? `${kind} at line ${place.line}, column ${place.col}` : kind;
}
