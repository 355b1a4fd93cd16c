/** Two WebSockets as one: what one says the other hears, as fast as the slower one reads, until one of them ends. */
import { WebSocket } from "ws";

/** Bytes that one side has not read, from which on the other is not read from. */
const highWater = 1_048_576;
const lowWater = 262_144;

const normal = 1000;
const unsupported = 1003;
const internalError = 1011;

export class ChatPipe {
	/** Resolves when both sides are gone. */
	readonly closed: Promise<unknown>;
	readonly #client: WebSocket;
	readonly #pod: WebSocket;
	/** Those that have answered since they were asked last. */
	readonly #alive: Set<WebSocket>;

	/** @param pod Paused. */
	constructor(client: WebSocket, pod: WebSocket) {
		this.#client = client;
		this.#pod = pod;
		this.#alive = new Set([client, pod]);
		this.closed = Promise.all([client, pod].map((side) => goneOf(side)));
		for (const side of [client, pod]) {
			// Followed by `close`.
			side.on("error", () => {});
			side.on("pong", () => this.#alive.add(side));
		}
		client.on("message", (data: Buffer, isBinary) => {
			if (isBinary) this.close(unsupported, "Frames are text");
			else forward(data, client, pod);
		});
		pod.on("message", (data: Buffer) => forward(data, pod, client));
		client.once("close", () => end(pod, normal));
		pod.once("close", (code, reason) => end(client, codeFor(code), reason.toString()));
		pod.resume();
		// It may have ended while nobody listened.
		if (pod.readyState === WebSocket.CLOSED) end(client, internalError);
	}

	close(code: number, reason: string): void {
		end(this.#client, code, reason);
		end(this.#pod, normal);
	}

	terminate(): void {
		this.#client.terminate();
		this.#pod.terminate();
	}

	/** Ends both when one has not answered since the last call. */
	checkAlive(): void {
		for (const side of [this.#client, this.#pod]) {
			if (!this.#alive.delete(side)) return this.terminate();
			if (side.readyState === WebSocket.OPEN) side.ping();
		}
	}
}

function forward(data: Buffer, from: WebSocket, to: WebSocket): void {
	if (to.readyState !== WebSocket.OPEN) return;
	to.send(data, { binary: false }, () => {
		if (to.bufferedAmount < lowWater && from.isPaused) from.resume();
	});
	if (to.bufferedAmount > highWater) from.pause();
}

/** A side that is not read from would never hear that it is to close. */
function end(side: WebSocket, code: number, reason = ""): void {
	if (side.isPaused) side.resume();
	side.close(code, reason);
}

/** Some codes are made up where no frame came, and must not be sent. */
function codeFor(code: number): number {
	const isSendable = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000;
	return isSendable ? code : internalError;
}

function goneOf(side: WebSocket): Promise<void> {
	if (side.readyState === WebSocket.CLOSED) return Promise.resolve();
	return new Promise((resolve) => side.once("close", () => resolve()));
}
