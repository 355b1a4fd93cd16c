/** JSON objects from outside, whose members are not checked yet. */

import { isJsonObject } from "#shared/base/schema/json-object.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns undefined for any other text. The parser's message is not passed on, because it repeats parts of the text. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

export function parseJsonObject(text: string): JsonObject | undefined {
	const value = parseJson(text);
	return isJsonObject(value) ? value : undefined;
}

/** Returns the objects of a list, and an empty list for any other value. */
export function objectsOf(value: unknown): JsonObject[] {
	return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function isCount(value: unknown): value is number {
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Returns a text that is not empty, or undefined. */
export function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
