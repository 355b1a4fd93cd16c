/**
 * Reads JSON of which every reader understands the same: UTF-8, no member twice, and no escape in a member's name. The
 * request is written again from what was read, and is refused when another reader might have read something else.
 */
import { ForbiddenValue, type Json } from "./json-rules.ts";

/** A string with the colon that makes it a name, or a bracket. */
const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/** An object or a list that is not closed yet. */
interface Opened {
	/** The names that an object has had; undefined for a list. */
	readonly names: Set<string> | undefined;
	/** The name of the member that is read. */
	name: string;
}

/** @throws {SyntaxError} for what is no JSON; {ForbiddenValue} for what readers may understand differently. */
export function strictJson(body: Uint8Array): Json {
	const text = textOf(body);
	const parsed: unknown = JSON.parse(text);
	checkNames(text);
	return parsed as Json;
}

function textOf(body: Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
	} catch {
		throw new SyntaxError("The request is no UTF-8");
	}
}

/** Only for a text that is JSON: then a string before a colon is the name of a member. */
function checkNames(text: string): void {
	const opened: Opened[] = [];
	for (const [token, string, colon] of text.matchAll(tokens)) {
		if (string !== undefined && colon !== undefined) checkName(opened, string);
		else if (token === "{" || token === "[") opened.push({ names: token === "{" ? new Set() : undefined, name: "" });
		else if (token === "}" || token === "]") opened.pop();
	}
}

function checkName(opened: readonly Opened[], token: string): void {
	const inner = opened.at(-1);
	if (!inner?.names) return;
	inner.name = token.slice(1, -1);
	if (token.includes("\\") || inner.names.has(inner.name)) throw new ForbiddenValue(pathOf(opened));
	inner.names.add(inner.name);
}

function pathOf(opened: readonly Opened[]): string {
	return opened
		.map(({ name }) => name)
		.filter((name) => name !== "")
		.join(".");
}
