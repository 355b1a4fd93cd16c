/**
 * UUIDs that begin with the time they were made at (version 7, RFC 9562 section 5.7): new ones stand side by side in every
 * index, where random ones would each have another page of it written to the disk.
 */
import { randomUUID } from "node:crypto";

/** @param at Milliseconds since 1970. */
export function timeBasedUuid(at: number): string {
	const time = at.toString(16).padStart(12, "0");
	// The version is followed by random digits, as in version 4.
	return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
