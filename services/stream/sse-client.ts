/**
 * One client of the stream: its connection, and the bounds on what it has not read yet. Writes straight to the socket,
 * in bytes shared with all who get the same, so a write costs no copy.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { BadRequestError } from "#shared/errors.ts";
import type { Audience } from "./audience.ts";
import { type Batch, join, retryLine } from "./sse-frame.ts";

export interface ClientLimits {
	/** A client that has not read this much is closed. */
	readonly maxUnreadBytes: number;
	/** A client that has not read what waited for it this long ago is closed. */
	readonly maxStallMs: number;
}

export const clientLimits: ClientLimits = { maxUnreadBytes: 256 * 1024, maxStallMs: 30_000 };

const headers = {
	"Content-Type": "text/event-stream",
	"Cache-Control": "no-cache",
	Connection: "keep-alive",
	"X-Accel-Buffering": "no",
};

export class SseClient {
	readonly audience: Audience;
	/** Gets every new event when it comes; until then somebody brings it up to date. */
	isLive = false;
	readonly #response: ServerResponse;
	readonly #socket: Socket;
	readonly #isChunked: boolean;
	readonly #limits: ClientLimits;
	readonly #closed = new AbortController();
	#ended = false;
	/** What had been written to the socket at `#markedAt`, once it is read, moves the mark. */
	#marked = 0;
	#markedAt = 0;

	/**
	 * Answers with the head of the stream.
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

	/** Aborted when the connection is gone. */
	get signal(): AbortSignal {
		return this.#closed.signal;
	}

	/** Whether there is any use in sending more. */
	get isOpen(): boolean {
		return !this.#ended && !this.#closed.signal.aborted;
	}

	/** Sends at once; closes the client instead when it is too far behind. One that had read everything gets any batch. */
	send({ chunk, bytes }: Batch): void {
		if (!this.isOpen || this.#socket.destroyed) return;
		const unread = this.#socket.writableLength;
		if (unread > 0 && unread + bytes.length > this.#limits.maxUnreadBytes) return this.close();
		this.#socket.write(this.#isChunked ? chunk : bytes);
	}

	/** Sends, and resolves when more can be sent without piling up, or the client is gone. */
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
	 * Closes a client that no longer reads. To be called every second or so.
	 * @param at On the monotonic clock.
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

	/** Ends in order: what was sent is still delivered. */
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
