/** Reads the logs of containers, which an engine sends in frames (Docker Engine API 1.41, "Attach to a container"). Pure. */
import { plainText } from "#shared/base/one-line.ts";

/** A frame begins with the stream (1 byte), three zeros and the length (4 bytes). */
const headerBytes = 8;
const lengthAt = 4;

/** The stream of standard output. */
export const outputStream = 1;

/**
 * Returns the text of all frames in their order. A last frame that was cut off counts as far as it is there.
 * @param stream Only the frames of this stream; default: of all.
 */
export function logText(frames: Buffer, stream?: number): string {
	const parts: Buffer[] = [];
	for (let at = 0; at + headerBytes <= frames.length; ) {
		const end = at + headerBytes + frames.readUInt32BE(at + lengthAt);
		if (stream === undefined || frames[at] === stream) parts.push(frames.subarray(at + headerBytes, end));
		at = end;
	}
	return Buffer.concat(parts).toString("utf8");
}

/** Returns the last lines of a log for people, in at most so many characters. A session may have written anything. */
export function lastLines(log: string, maxCharacters: number): string {
	const text = plainText(log, Number.MAX_SAFE_INTEGER).trim();
	if (text.length <= maxCharacters) return text;
	return `…${text.slice(text.length - maxCharacters + 1)}`;
}
