/** Server-sent events as bytes (WHATWG HTML 9.2), and those bytes as HTTP carries them. */
import { type ResetReason, type StreamEventName, streamEvents } from "#shared/contracts/stream.ts";

/** A place in the event log. */
export interface EventPosition {
	readonly epoch: string;
	readonly seq: number;
}

export function isStreamEvent(name: string): name is StreamEventName {
	return Object.hasOwn(streamEvents, name);
}

/**
 * One event.
 * @param json JSON text; line breaks between its tokens become blanks, inside them there are none.
 * @param at What a client that reconnects has seen; absent: the same as before this event.
 */
export function frame(event: StreamEventName, json: string, at?: EventPosition): Buffer {
	const id = at === undefined ? "" : `id: ${at.epoch}-${at.seq}\n`;
	return Buffer.from(`${id}event: ${event}\ndata: ${json.replaceAll(/[\r\n]+/g, " ")}\n\n`);
}

/** @param more There are more sessions than follow. */
export function resetFrame(reason: ResetReason, more: boolean, at?: EventPosition): Buffer {
	return frame("reset", JSON.stringify({ reason, ...(more && { more }) }), at);
}

/** How long clients wait before they connect again. */
export const retryLine = Buffer.from("retry: 2000\n\n");

const idForm = /^(.{1,100})-(\d{1,15})$/;

/** The position a client has seen, from its `Last-Event-ID`; an id that is none of ours belongs to no epoch. */
export function readPosition(lastEventId: string): EventPosition {
	const [, epoch = "", seq = "0"] = idForm.exec(lastEventId) ?? [];
	return { epoch, seq: Number(seq) };
}

/** Bytes for one write, shared by all who get the same. */
export interface Batch {
	/** As one chunk of an HTTP/1.1 body (RFC 9112 section 7.1). */
	readonly chunk: Buffer;
	/** Bare, for a body that ends with its connection. */
	readonly bytes: Buffer;
}

const lineEnd = Buffer.from("\r\n");

export function join(frames: readonly Buffer[]): Batch {
	const length = frames.reduce((sum, { length }) => sum + length, 0);
	const head = Buffer.from(`${length.toString(16)}\r\n`);
	const chunk = Buffer.concat([head, ...frames, lineEnd]);
	return { chunk, bytes: chunk.subarray(head.length, -lineEnd.length) };
}
