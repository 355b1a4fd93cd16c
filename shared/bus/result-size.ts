/** No result may be larger than a message on the bus can be, in one process as over NATS (server limit 1 MB). */
import { ResultTooLargeError } from "../errors.ts";
import { isJsonText } from "./json-text.ts";

export const maxResultBytes = 900 * 1024;

/**
 * Returns the result unchanged.
 * @throws {ResultTooLargeError}
 */
export function refuseOversized<T>(result: T): T {
	const bytes = isJsonText(result) ? Buffer.byteLength(result.$json) : jsonBytes(result, maxResultBytes);
	if (bytes > maxResultBytes) {
		throw new ResultTooLargeError(maxResultBytes);
	}
	return result;
}

/**
 * Length of a value as JSON text in UTF-8, at least and nearly: exact but for escapes. Stops counting above `limit`;
 * far cheaper than writing the text.
 */
export function jsonBytes(value: unknown, limit: number): number {
	if (typeof value === "string") return Buffer.byteLength(value) + 2;
	if (typeof value !== "object" || value === null) return 5;
	let bytes = 2;
	for (const [key, member] of Object.entries(value)) {
		bytes += (Array.isArray(value) ? 1 : key.length + 4) + jsonBytes(member, limit - bytes);
		if (bytes > limit) break;
	}
	return bytes;
}
