/** Changes of an object in steps (RFC 6902), in the form in which the cluster's API compares values. Pure. */

/** One step of a JSON patch. A `test` that fails refuses the whole patch; one with null passes for a member that is not there. */
export interface PatchStep {
	readonly op: "add" | "remove" | "replace" | "test";
	/** A JSON pointer (RFC 6901). */
	readonly path: string;
	readonly value?: unknown;
}

/** The characters that the API writes as escapes. */
const escaped = /[<>&\u2028\u2029]/g;

/**
 * Returns the text of a patch. The API compares the value of a `test` with its own text of the object, character by character, so
 * that one with `<` would never pass.
 */
export function jsonPatch(steps: readonly PatchStep[]): string {
	return JSON.stringify(steps).replaceAll(escaped, escapeOf);
}

function escapeOf(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
