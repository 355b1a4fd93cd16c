/**
 * A result, or the items of a page, that is JSON text already. A gateway passes the text on unchanged; other callers
 * get the parsed value from `call`.
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

export function textOf(value: unknown): string {
	return isJsonText(value) ? value.$json : JSON.stringify(value);
}

/** Returns the result with every JSON text replaced by its value. */
export function withValues<R>(result: R): R {
	if (isJsonText(result)) return JSON.parse(result.$json) as R;
	if (typeof result !== "object" || result === null || !("items" in result) || !isJsonText(result.items)) return result;
	return { ...result, items: JSON.parse(result.items.$json) };
}
