/**
 * Makes UUIDs that begin with their time of creation (version 7, RFC 9562 section 5.7). New ones are neighbours in
 * every index, whereas each random one would cause another page of the index to be written.
 */
import { randomUUID } from "node:crypto";

/** @param at The time of creation in milliseconds since 1970. */
export function timeBasedUuid(at: number): string {
	const time = at.toString(16).padStart(12, "0");
	// The version is followed by random digits, as in version 4.
	return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
