/** Bounds the size of an event, because every gateway holds it in memory and sends it to everybody who may see it. */
import { bound } from "#shared/base/bounds.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { largestMember } from "#shared/base/schema/json-size.ts";
import type { OutboxEntry } from "./port/documents.ts";

/** The bound of an event's payload in bytes. */
export const maxEventBytes = bound.eventBytes;
/** Texts of this length always fit, because a UTF-16 unit has at most three bytes in UTF-8. */
const surelyFitting = Math.floor(maxEventBytes / 3);

/**
 * Refuses events that are too large. @throws {UnprocessableError} naming the largest member, which the caller can
 * shorten.
 */
export function refuseLargeEvents(events: readonly OutboxEntry[]): void {
	for (const { type, data } of events) {
		if (data.length <= surelyFitting) continue;
		const bytes = Buffer.byteLength(data);
		if (bytes > maxEventBytes) throw tooLarge(type, data, bytes);
	}
}

function tooLarge(type: string, data: string, bytes: number): UnprocessableError {
	const largest = largestMember(JSON.parse(data)) ?? { name: "data", bytes };
	return new UnprocessableError(
		`"${largest.name}" has ${largest.bytes} bytes as JSON, so that "${type}" would have ${bytes}; at most ${maxEventBytes} are allowed`,
		"EVENT_TOO_LARGE",
	);
}
