/**
 * Parses YAML of files and variables that may hold secrets. Errors name the kind and the place only, because the
 * library's messages repeat lines of the text, and messages end up in logs.
 */
import { type Document, isMap, isNode, isScalar, LineCounter, parseAllDocuments } from "yaml";

/** A path within a document: the keys of maps and the positions in lists. */
type YamlPath = readonly (string | number)[];

/** The value of one document, and where its members stand in the text. */
export interface YamlDocument {
	readonly value: unknown;
	/** Returns the line of a member, or of the nearest one around it, from 1. */
	readonly lineOf: (path: YamlPath) => number;
}

/** Returns all documents in a text. @throws {SyntaxError} without any part of the text. */
export function placedYamlDocuments(text: string): YamlDocument[] {
	const lines = new LineCounter();
	const documents: readonly Document[] = [...parseAllDocuments(text, { logLevel: "error", lineCounter: lines })];
	return documents.map((document) => {
		// The library only warns of an unknown tag, but loses the value behind it.
		const [problem] = [...document.errors, ...document.warnings];
		if (problem) throw new SyntaxError(problemAt(problem.code, problem.linePos?.[0]));
		try {
			const value: unknown = document.toJS();
			return { value, lineOf: (path) => lines.linePos(offsetOf(document, path)).line };
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
	return placedYamlDocument(text).value;
}

/** Returns the document of such a text. @throws {SyntaxError} */
export function placedYamlDocument(text: string): YamlDocument {
	const [document = { value: null, lineOf: () => 1 }, ...more] = placedYamlDocuments(text);
	if (more.length > 0) throw new SyntaxError("there is more than one document");
	return document;
}

/** Returns where the key of a member stands; an absent member is where the map around it begins. */
function offsetOf(document: Document, path: YamlPath): number {
	for (let depth = path.length; depth > 0; depth--) {
		const above = document.getIn(path.slice(0, depth - 1), true);
		const name = path[depth - 1];
		const key = isMap(above) ? above.items.find(({ key }) => isScalar(key) && key.value === name)?.key : undefined;
		const node = key ?? document.getIn(path.slice(0, depth), true);
		if (isNode(node) && node.range) return node.range[0];
	}
	return document.contents?.range?.[0] ?? 0;
}

function problemAt(code: string, place: { line: number; col: number } | undefined): string {
	const kind = code.toLowerCase().replaceAll("_", " ");
	return place ? `${kind} at line ${place.line}, column ${place.col}` : kind;
}
