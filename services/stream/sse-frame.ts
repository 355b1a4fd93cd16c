/** Encodes server-sent events (WHATWG HTML 9.2) as bytes, also in the chunks of HTTP. */
import { type ResetReason, type StreamEventName, streamEvents } from "#shared/contracts/stream.ts";

export function isStreamEvent(name: string): name is StreamEventName {
	return Object.hasOwn(streamEvents, name);
}

/**
 * Encodes one event.
 * @param json JSON text; line breaks between its tokens become blanks, and tokens contain none.
 * @param id Names the position that a client has seen with this event; absent: the same as before the event.
 */
export function frame(event: StreamEventName, json: string, id?: string): Buffer {
	const idLine = id === undefined ? "" : `id: ${id}\n`;
	return Buffer.from(`${idLine}event: ${event}\ndata: ${json.replaceAll(/[\r\n]+/g, " ")}\n\n`);
}

/** Encodes a reset. @param more Whether there are more sessions than the frames that follow. */
export function resetFrame(reason: ResetReason, more: boolean, id?: string): Buffer {
	return frame("reset", JSON.stringify({ reason, ...(more && { more }) }), id);
}

/** The field with the time that clients wait before they connect again. */
export const retryLine = Buffer.from("retry: 2000\n\n");

/** The bytes of one write, shared by all its receivers. */
export interface Batch {
	/** The bytes as one chunk of an HTTP/1.1 body (RFC 9112 section 7.1). */
	readonly chunk: Buffer;
	/** The bare bytes, for a body that ends with its connection. */
	readonly bytes: Buffer;
}

const lineEnd = Buffer.from("\r\n");

export function join(frames: readonly Buffer[]): Batch {
	const length = frames.reduce((sum, { length }) => sum + length, 0);
	const head = Buffer.from(`${length.toString(16)}\r\n`);
	const chunk = Buffer.concat([head, ...frames, lineEnd]);
	return { chunk, bytes: chunk.subarray(head.length, -lineEnd.length) };
}
