/**
 * A provider's server in the hands of an attacker. It answers by a scenario, which knows what the honest server would
 * have said, and counts what it is asked.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Answer } from "./answer.ts";
import { type Asked, askedBy, type Recording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";
import { listenOnLoopback } from "../../machine/loopback-server.ts";

export interface EvilProviderOptions {
	readonly scenario: Scenario;
	readonly recording: Recording;
	readonly elsewhere: string;
	/** Whether the scenario answers this question; the honest answer is given to others. */
	readonly isSpoiled: (asked: Asked) => boolean;
	/** Whether this question changes something. */
	readonly isWrite: (asked: Asked) => boolean;
}

export class EvilProvider implements AsyncDisposable {
	/** Everything that was asked, oldest first. */
	readonly asked: Asked[] = [];
	/** The requests that change something. */
	writes = 0;
	/** The bytes that were sent over all connections that have ended. */
	sentBytes = 0;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	readonly #options: EvilProviderOptions;
	#spoiled = 0;

	private constructor(options: EvilProviderOptions) {
		this.#options = options;
		this.#server = createServer((request, response) => void this.#serve(request, response));
		// Connections are kept for longer than an operation takes, as their end is no part of a scenario.
		this.#server.keepAliveTimeout = 120_000;
		this.#server.prependListener("connection", (socket: Socket) => this.#meet(socket));
		this.#server.on("clientError", (_error, socket) => socket.destroy());
	}

	static async start(options: EvilProviderOptions): Promise<EvilProvider> {
		const evil = new EvilProvider(options);
		await listenOnLoopback(evil.#server);
		return evil;
	}

	/** The host and the port. */
	get host(): string {
		return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	get origin(): string {
		return `http://${this.host}`;
	}

	/** The requests that were understood, and the connections of a scenario that never reads one. */
	get calls(): number {
		return this.#options.scenario.meet ? this.#spoiled : this.asked.length;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		this.#server.close();
		await once(this.#server, "close");
	}

	#meet(socket: Socket): void {
		this.#sockets.add(socket);
		socket.on("error", () => socket.destroy());
		socket.on("close", () => {
			this.#sockets.delete(socket);
			this.sentBytes += socket.bytesWritten;
		});
		const { meet } = this.#options.scenario;
		if (!meet) return;
		this.#spoiled++;
		meet(socket);
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { scenario, recording, elsewhere, isWrite, isSpoiled } = this.#options;
		if (scenario.meet) return;
		// A connection that ends before its request does waits for no answer.
		const asked = await askedBy(request).catch(() => undefined);
		if (!asked) return;
		this.asked.push(asked);
		const good = recording.answerTo(asked, this.writes, this.origin);
		if (isWrite(asked)) this.writes++;
		const { socket } = request;
		const send = (answer: Answer) => {
			if (!response.headersSent) response.writeHead(answer.status, answer.headers).end(answer.body);
		};
		if (!isSpoiled(asked)) return send(good);
		const number = ++this.#spoiled;
		await scenario.answer?.({ number, asked, good, origin: this.origin, elsewhere, response, socket, send });
	}
}
