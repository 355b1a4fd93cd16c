/**
 * A server with MongoDB's wire protocol for tests: the real driver connects to it, and documents are in memory. It
 * tests which commands the adapter sends and how it handles the answers, not how a real server behaves; for that the
 * same suite runs against `MONGODB_URL`.
 */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Commands } from "./mongodb/commands.ts";
import { encodedAnswer, takeMessages, type WireMessage } from "./mongodb/wire-message.ts";
import { listenOnLoopback } from "../machine/loopback-server.ts";

export interface MongodbEndpoint {
	readonly url: string;
	/** The count of received commands by name. */
	readonly received: ReadonlyMap<string, number>;
	/** Makes the next such command take effect and its connection end without an answer. */
	loseAnswer(command: string): void;
	/** Delays such commands from now on; a command with a shorter time limit fails at once. */
	slowDown(command: string, ms: number): void;
	close(): Promise<void>;
}

const outOfTime = { ok: 0, code: 50, codeName: "MaxTimeMSExpired", errmsg: "operation exceeded time limit" };

export async function startMongodbEndpoint(): Promise<MongodbEndpoint> {
	const commands = new Commands();
	const received = new Map<string, number>();
	const lost = new Set<string>();
	const slow = new Map<string, number>();
	const sockets = new Set<Socket>();

	async function answer(socket: Socket, message: WireMessage): Promise<void> {
		const [name = ""] = Object.keys(message.command);
		received.set(name, (received.get(name) ?? 0) + 1);
		const ms = slow.get(name) ?? 0;
		const isTooSlow = Number(message.command["maxTimeMS"] ?? Infinity) < ms;
		if (ms > 0 && !isTooSlow) await sleep(ms);
		const answered = isTooSlow ? outOfTime : commands.answer(message.command);
		if (lost.delete(name)) socket.destroy();
		else if (!socket.destroyed) socket.write(encodedAnswer(message, answered));
	}

	const server = createServer((socket) => {
		let unread = Buffer.alloc(0);
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
		// The driver may end connections at any time, and reports what it misses itself.
		socket.on("error", () => socket.destroy());
		socket.on("data", (bytes: Buffer) => {
			try {
				const { messages, rest } = takeMessages(Buffer.concat([unread, bytes]));
				unread = Buffer.from(rest);
				for (const message of messages) void answer(socket, message);
			} catch (error) {
				socket.destroy(error instanceof Error ? error : undefined);
			}
		});
	});
	await listenOnLoopback(server);
	const address = server.address();
	const port = typeof address === "object" && address ? address.port : 0;

	return {
		url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
		received,
		loseAnswer: (command) => lost.add(command),
		slowDown: (command, ms) => slow.set(command, ms),
		async close() {
			const closed = once(server, "close");
			server.close();
			for (const socket of sockets) socket.destroy();
			await closed;
		},
	};
}
