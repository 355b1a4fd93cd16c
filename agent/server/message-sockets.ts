/** The connections of the pod's WebSocket, with bounds on their number, frames and backlog, for the chat. */
import { bound } from "#shared/base/bounds.ts";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { every } from "#shared/base/clock.ts";
import { webSocketServer } from "#shared/net/http/websockets.ts";
import { confirmationsPath, contractChatPath, maxFrameBytes, type PodFrame } from "#shared/wire/pod/frames.ts";
import type { Chat } from "./chat.ts";
import { ContractDialect } from "./contract-dialect.ts";
import { RequestError } from "./request-error.ts";

/** A client that has not answered a ping when the next one is due is disconnected. */
const pingMs = 30_000;
/** A client with more unread bytes is disconnected. */
const maxUnreadBytes = 4 * maxFrameBytes;

type ChatOfSockets = Pick<Chat, "greeting" | "receive" | "attach" | "model" | "usedSoFar" | "isInTurn">;

/** Accepts the connections, and closes them at the end. */
export class MessageSockets {
	readonly #chat: ChatOfSockets;
	readonly #server = webSocketServer({ maxPayload: maxFrameBytes, clientTracking: true });
	readonly #alive = new WeakSet<WebSocket>();
	/** The connections that receive only confirmations of their own messages. */
	readonly #quiet = new Set<WebSocket>();
	/** The connections that receive frames in the contract's form. */
	readonly #contract = new WeakSet<WebSocket>();
	readonly #dialect: ContractDialect;
	readonly #pings = every(pingMs, () => this.#ping());
	#isOpen = true;

	constructor(chat: ChatOfSockets) {
		this.#chat = chat;
		this.#dialect = new ContractDialect(chat);
		chat.attach((frame) => this.#broadcast(frame));
	}

	/** @throws {RequestError} when there are too many connections. */
	upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
		if (!this.#isOpen) throw new RequestError(503, "The session is ending");
		const quiet = this.#quiet.size;
		// Each sessions process has one connection for confirmations, and chats take no places of these.
		if ((request.url === confirmationsPath ? quiet : this.#server.clients.size - quiet) >= bound.podChats) {
			throw new RequestError(503, `The pod has ${bound.podChats} connections and takes no more`);
		}
		this.#server.handleUpgrade(request, socket, head, (client) => this.#greet(client, request.url));
	}

	/** Closes all connections and accepts no more messages. */
	close(): void {
		this.#isOpen = false;
		this.#pings.cancel();
		this.#chat.attach(() => {});
		for (const client of this.#server.clients) client.close(1001);
	}

	#greet(client: WebSocket, url: string | undefined): void {
		this.#alive.add(client);
		client.on("pong", () => this.#alive.add(client));
		// The event `close` follows and is handled.
		client.on("error", () => {});
		client.on("message", (data) => {
			if (this.#isOpen) void this.#chat.receive(textOf(data), (frame) => this.#reply(client, frame));
		});
		if (url === confirmationsPath) {
			this.#quiet.add(client);
			client.once("close", () => this.#quiet.delete(client));
		} else {
			if (url === contractChatPath) this.#contract.add(client);
			for (const frame of this.#chat.greeting())
				this.#sendAll(client, this.#contract.has(client) ? this.#dialect.greeting(frame) : [frame]);
		}
	}

	#broadcast(frame: PodFrame): void {
		const own = [JSON.stringify(frame)];
		// The dialect has to see every frame, because a client may connect at any time.
		const translated = this.#dialect.shared(frame);
		let contract: string[] | undefined;
		for (const client of this.#server.clients) {
			if (this.#quiet.has(client)) {
				this.#confirm(client, frame);
				continue;
			}
			const texts = this.#contract.has(client) ? (contract ??= translated.map((each) => JSON.stringify(each))) : own;
			for (const text of texts) this.#send(client, text);
		}
	}

	/** The platform does not read its own message again. */
	#confirm(client: WebSocket, frame: PodFrame): void {
		if (frame.type === "user_confirmed") this.#send(client, JSON.stringify({ type: frame.type, id: frame.id }));
	}

	#reply(client: WebSocket, frame: PodFrame): void {
		this.#sendAll(client, this.#contract.has(client) ? this.#dialect.reply(frame) : [frame]);
	}

	#sendAll(client: WebSocket, frames: readonly PodFrame[]): void {
		for (const frame of frames) this.#send(client, JSON.stringify(frame));
	}

	#send(client: WebSocket, text: string): void {
		if (client.readyState !== client.OPEN) return;
		if (client.bufferedAmount > maxUnreadBytes) client.terminate();
		else client.send(text);
	}

	#ping(): void {
		for (const client of this.#server.clients) {
			if (!this.#alive.delete(client)) client.terminate();
			else client.ping();
		}
	}
}

function textOf(data: RawData): string {
	if (data instanceof ArrayBuffer) return Buffer.from(data).toString("utf8");
	return (Array.isArray(data) ? Buffer.concat(data) : data).toString("utf8");
}
