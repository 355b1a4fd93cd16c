/** The pod's WebSocket: takes messages for the agent, and confirms each when it is on disk. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { every } from "#shared/clock.ts";
import { maxFrameBytes, type PodFrame, type UserFrame } from "#shared/pod/frames.ts";
import { QueueFullError } from "./conversation.ts";
import { parseJsonObject } from "./json-object.ts";
import { RequestError } from "./request-error.ts";

const maxSockets = 16;
/** Whoever has not answered one ping when the next is due is gone. */
const pingMs = 30_000;
/** Of frames that a client has not read. */
const maxUnreadBytes = 4 * maxFrameBytes;
const maxIdLength = 100;

/** @throws {QueueFullError} */
export type Accept = (id: string, content: string) => Promise<void>;

export class MessageSockets {
	readonly #sessionId: string;
	readonly #accept: Accept;
	readonly #server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false });
	readonly #alive = new WeakSet<WebSocket>();
	readonly #pings = every(pingMs, () => this.#ping());
	#isOpen = true;

	constructor(sessionId: string, accept: Accept) {
		this.#sessionId = sessionId;
		this.#accept = accept;
	}

	/** @throws {RequestError} when there are too many already. */
	upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
		if (!this.#isOpen) throw new RequestError(503, "The session is ending");
		if (this.#server.clients.size >= maxSockets) {
			throw new RequestError(503, `The pod has ${maxSockets} connections and takes no more`);
		}
		this.#server.handleUpgrade(request, socket, head, (client) => this.#greet(client));
	}

	/** Takes no more messages. */
	close(): void {
		this.#isOpen = false;
		this.#pings.cancel();
		for (const client of this.#server.clients) client.close(1001);
	}

	#greet(client: WebSocket): void {
		this.#alive.add(client);
		client.on("pong", () => this.#alive.add(client));
		// Followed by `close`.
		client.on("error", () => {});
		client.on("message", (data) => void this.#receive(client, readFrame(textOf(data))));
		this.#send(client, { type: "system", content: `Connected to session ${this.#sessionId}` });
	}

	async #receive(client: WebSocket, frame: UserFrame | string | undefined): Promise<void> {
		if (frame === undefined || !this.#isOpen) return;
		if (typeof frame === "string") return this.#send(client, { type: "error", content: frame });
		const { id, content } = frame;
		try {
			await this.#accept(id, content);
			for (const each of this.#server.clients) this.#send(each, { type: "user_confirmed", id, content });
		} catch (error) {
			const reason = error instanceof QueueFullError ? error.message : "The message cannot be kept";
			this.#send(client, { type: "error", id, content: reason });
		}
	}

	#send(client: WebSocket, frame: PodFrame): void {
		if (client.readyState !== WebSocket.OPEN) return;
		if (client.bufferedAmount > maxUnreadBytes) client.terminate();
		else client.send(JSON.stringify(frame));
	}

	#ping(): void {
		for (const client of this.#server.clients) {
			if (!this.#alive.delete(client)) client.terminate();
			else client.ping();
		}
	}
}

/** A message, a sentence that says why it is none, or undefined for a frame of a kind that is not known. */
function readFrame(text: string): UserFrame | string | undefined {
	const frame = parseJsonObject(text);
	if (!frame) return "A frame must be a JSON object";
	const { type, id, content } = frame;
	if (type !== "user") return undefined;
	if (typeof id !== "string" || id === "" || id.length > maxIdLength) return "A message needs an id";
	if (typeof content !== "string" || content.trim() === "") return "A message needs content";
	return { type, id, content };
}

function textOf(data: RawData): string {
	if (data instanceof ArrayBuffer) return Buffer.from(data).toString("utf8");
	return (Array.isArray(data) ? Buffer.concat(data) : data).toString("utf8");
}
