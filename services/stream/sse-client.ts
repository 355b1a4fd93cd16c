/**
 * One client of the stream: its connection, and the bounds on its unread bytes. Frames are written directly to the
 * socket from buffers that all clients share, so a write does not copy.
 */
import { bound } from "#shared/base/bounds.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { BadRequestError } from "#shared/base/errors.ts";
import type { Audience } from "./audience.ts";
import { type Batch, join, retryLine } from "./sse-frame.ts";

/** The bounds for slow clients. */
export interface ClientLimits {
	/** A client with this many unread bytes is closed. */
	readonly maxUnreadBytes: number;
	/** A client whose unread bytes have waited for this many milliseconds is closed. */
	readonly maxStallMs: number;
}

export const clientLimits: ClientLimits = { maxUnreadBytes: bound.unreadBytes, maxStallMs: 30_000 };

const headers = {
	"Content-Type": "text/event-stream",
	"Cache-Control": "no-cache",
	Connection: "keep-alive",
	"X-Accel-Buffering": "no",
};

/** The connection of one client. The hub closes it, or the client itself. */
export class SseClient {
	readonly audience: Audience;
	/** Whether the client gets every new event at once; before that it is being caught up. */
	isLive = false;
	readonly #response: ServerResponse;
	readonly #socket: Socket;
	readonly #isChunked: boolean;
	readonly #limits: ClientLimits;
	readonly #closed = new AbortController();
	#ended = false;
	/** The bytes written to the socket at `#markedAt`; the mark moves when they have been read. */
	#marked = 0;
	#markedAt = 0;

	/**
	 * Sends the head of the stream.
	 * @throws {BadRequestError} when the connection is still busy with an earlier answer.
	 */
	constructor(request: IncomingMessage, response: ServerResponse, audience: Audience, limits: ClientLimits) {
		const { socket } = response;
		if (!socket || response.destroyed) throw new BadRequestError("An event stream needs a connection of its own");
		this.audience = audience;
		this.#response = response;
		this.#socket = socket;
		this.#isChunked = request.httpVersion === "1.1";
		this.#limits = limits;
		response.writeHead(200, headers).flushHeaders();
		response.once("close", () => this.#closed.abort());
		this.send(join([retryLine]));
	}

	/** The signal aborts when the connection is closed. */
	get signal(): AbortSignal {
		return this.#closed.signal;
	}

	/** Whether more can be sent. */
	get isOpen(): boolean {
		return !this.#ended && !this.#closed.signal.aborted;
	}

	/**
	 * Sends at once; closes a client that is too far behind. A client without unread bytes gets a batch of any size.
	 */
	send({ chunk, bytes }: Batch): void {
		if (!this.isOpen || this.#socket.destroyed) return;
		const unread = this.#socket.writableLength;
		if (unread > 0 && unread + bytes.length > this.#limits.maxUnreadBytes) return this.close();
		this.#socket.write(this.#isChunked ? chunk : bytes);
	}

	/** Sends, and resolves when the client has room for more or is gone. */
	async sendAndDrain(batch: Batch): Promise<void> {
		this.send(batch);
		if (!this.#socket.writableNeedDrain || !this.isOpen) return;
		await new Promise<void>((resolve) => {
			const done = () => {
				this.#socket.off("drain", done);
				this.signal.removeEventListener("abort", done);
				resolve();
			};
			this.#socket.on("drain", done);
			this.signal.addEventListener("abort", done);
		});
	}

	/**
	 * Closes a client that no longer reads. Call this about every second.
	 * @param at The time on the monotonic clock.
	 */
	closeIfStalled(at: number): void {
		const { bytesWritten, writableLength } = this.#socket;
		if (bytesWritten - writableLength >= this.#marked) {
			this.#marked = bytesWritten;
			this.#markedAt = at;
		} else if (at - this.#markedAt > this.#limits.maxStallMs) {
			this.close();
		}
	}

	/** Ends the connection in order: frames sent before are still delivered. */
	end(last: Batch): void {
		if (!this.isOpen) return;
		this.send(last);
		this.#ended = true;
		this.#response.end(() => this.#socket.destroySoon());
	}

	close(): void {
		this.#socket.destroy();
	}
}
