/**
 * A result, or the items of a page, that is JSON text already. A gateway passes the text on as it is; to other callers
 * `call` gives the value it stands for.
 */
export interface JsonText {
	readonly $json: string;
}

export function jsonText(text: string): JsonText {
	return { $json: text };
}

export function isJsonText(value: unknown): value is JsonText {
	return typeof value === "object" && value !== null && "$json" in value && typeof value.$json === "string";
}

/** The value as JSON text. */
export function textOf(value: unknown): string {
	return isJsonText(value) ? value.$json : JSON.stringify(value);
}

/** The result with the value of every text in its place. */
export function withValues<R>(result: R): R {
	if (isJsonText(result)) return JSON.parse(result.$json) as R;
	if (typeof result !== "object" || result === null || !("items" in result) || !isJsonText(result.items)) return result;
	return { ...result, items: JSON.parse(result.items.$json) };
}
