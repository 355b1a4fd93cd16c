/**
 * No request and no result may be larger than a message on the bus can be, in one process as over NATS. What counts are
 * bytes as they travel: a text that is JSON already (JsonText) is a JSON string then, where each quote takes two.
 */
import { RequestTooLargeError, ResultTooLargeError } from "../errors.ts";
import { fitsJson } from "./json-size.ts";

/** NATS takes 1 MiB; the rest is for what surrounds it. */
export const maxMessageBytes = 900 * 1024;

/** Returns the result unchanged. @throws {ResultTooLargeError} */
export function refuseLargeResult<T>(result: T): T {
	if (!fitsJson(result, maxMessageBytes)) throw new ResultTooLargeError(maxMessageBytes);
	return result;
}

/** @throws {RequestTooLargeError} naming the largest member. */
export function refuseLargeRequest(params: unknown): void {
	if (fitsJson(params, maxMessageBytes)) return;
	throw new RequestTooLargeError(largestMember(params), maxMessageBytes);
}

function largestMember(params: unknown): { name: string; bytes: number } {
	const sizes = Object.entries(params ?? {}).map(([name, member]) => ({
		name,
		bytes: Buffer.byteLength(JSON.stringify(member) ?? ""),
	}));
	return sizes.toSorted((one, other) => other.bytes - one.bytes)[0] ?? { name: "", bytes: 0 };
}
