/** Tells objects of JSON from its other values, which is what `typeof` does not do. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
