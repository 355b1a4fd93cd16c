/**
 * Refuses requests and results that are larger than a message of the bus, in one process as over NATS. The size is
 * counted as sent: a text that is JSON already (JsonText) travels as a JSON string, where each quote takes two bytes.
 */
import { bound } from "#shared/base/bounds.ts";
import { RequestTooLargeError, ResultTooLargeError } from "#shared/base/errors.ts";
import { fitsJson, largestMember } from "#shared/base/schema/json-size.ts";

/** NATS accepts 1 MiB; the difference is for the envelope of the message. */
export const maxMessageBytes = bound.messageBytes;

/** Returns the result unchanged. @throws {ResultTooLargeError} */
export function refuseLargeResult<T>(result: T): T {
	if (!fitsJson(result, maxMessageBytes)) throw new ResultTooLargeError(maxMessageBytes);
	return result;
}

/** @throws {RequestTooLargeError} naming the largest member. */
export function refuseLargeRequest(params: unknown): void {
	if (fitsJson(params, maxMessageBytes)) return;
	throw new RequestTooLargeError(largestMember(params) ?? { name: "", bytes: 0 }, maxMessageBytes);
}
