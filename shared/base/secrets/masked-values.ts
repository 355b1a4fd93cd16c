/** Masks maps of variables and headers, whose values often are tokens: the names stay. Pure. */
import { isJsonObject } from "../schema/json-object.ts";

const mask = "***";

/** Returns the map with masked values; empty for anything else, which is masked as a whole. */
export function maskedValues<T>(values: T): Record<string, string> {
	const names = isJsonObject(values) ? Object.keys(values) : [];
	return Object.fromEntries(names.map((name) => [name, mask]));
}
