/** A client of the platform's chat, as a browser or a program would be one. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import type { PodFrame } from "#shared/wire/pod/frames.ts";
import { TestConnection } from "../pods/test-pod.ts";

export interface ChatOptions {
	/** The token that is sent as a header, as programs do. */
	token?: string;
	/** The token that is sent as a subprotocol, as browsers must. */
	protocolToken?: string;
	headers?: Record<string, string>;
	/** The form of the frames; default: this platform's own. */
	dialect?: "own" | "contract";
}

/** An HTTP answer to the request for a WebSocket. */
export interface Refusal {
	status: number;
	text: string;
	headers: Record<string, string | string[] | undefined>;
}

function socketFor(url: string, { token, protocolToken, headers = {}, dialect = "own" }: ChatOptions): WebSocket {
	const encoded = protocolToken && Buffer.from(protocolToken).toString("base64url");
	const protocols = dialect === "own" ? ["atelier.chat"] : [];
	if (encoded) protocols.unshift(`base64url.bearer.authorization.k8s.io.${encoded}`);
	const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
	return new WebSocket(url, protocols, { headers: { ...authorization, ...headers }, handshakeTimeout: 10_000 });
}

/** Opens a chat; resolves when it is open. */
export async function openChat(url: string, options: ChatOptions = {}): Promise<ChatClient> {
	const client = new ChatClient(socketFor(url, options));
	await once(client.socket, "open");
	return client;
}

/** Attempts to open a chat; resolves with the refusal. @throws {Error} when it is not refused. */
export async function refusedChat(url: string, options: ChatOptions = {}): Promise<Refusal> {
	const socket = socketFor(url, options);
	socket.on("error", () => {});
	const response = await new Promise<IncomingMessage>((resolve, reject) => {
		socket.once("unexpected-response", (_request, answer) => resolve(answer));
		socket.once("open", () => reject(new Error("It was opened")));
		socket.once("close", () => reject(new Error("It was closed without an answer")));
	}).finally(() => socket.terminate());
	const chunks: Buffer[] = [];
	for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
	return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: response.headers };
}

export class ChatClient extends TestConnection {
	/** The close code after the connection was closed. */
	code: number | undefined;
	/** The headers of the answer that opened the connection. */
	opened: Record<string, string | string[] | undefined> = {};

	constructor(socket: WebSocket) {
		super(socket);
		socket.once("upgrade", (response) => (this.opened = response.headers));
		socket.once("close", (code) => (this.code = code));
	}

	/** The frames that every client of the session gets, from the newest message on. */
	get shared(): PodFrame[] {
		const own = ["system", "available_commands", "context", "mode", "conversation_history"];
		const from = this.frames.findLastIndex(({ type }) => type === "user_confirmed");
		return this.frames.slice(Math.max(from, 0)).filter(({ type }) => !own.includes(type));
	}
}
