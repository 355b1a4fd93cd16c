/**
 * Bounds the requests of one connection that wait for their answers (HTTP pipelining, RFC 9112 section 9.3.2): a few are
 * worked on, the others wait in order, and meanwhile nothing more is read, so that the sender waits too. This is no FairQueue,
 * because those that wait end with their connection, whose answers end in an order of their own.
 */
import { bound } from "#shared/base/bounds.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Connection {
	worked: number;
	/** Begin the waiting requests, in their order; with false, their connection is gone. */
	readonly waiting: ((isThere: boolean) => void)[];
}

/** One instance serves all connections of a gateway, and forgets those that are closed. */
export class PipelinedRequests {
	readonly #connections = new WeakMap<Socket, Connection>();

	/**
	 * Waits for the turn of a request; undefined when it has it at once. Resolves to whether the connection is still there.
	 * The turn ends with the answer.
	 */
	turn({ socket }: Pick<IncomingMessage, "socket">, response: ServerResponse): Promise<boolean> | undefined {
		const connection = this.#connectionOf(socket);
		response.once("close", () => next(socket, connection));
		if (connection.worked < bound.requestsOfConnection) {
			connection.worked++;
			return undefined;
		}
		// Node reads on after each request, so the pause comes after the last one of this piece.
		queueMicrotask(() => connection.waiting.length > 0 && socket.pause());
		// One read of the socket has up to about 1,500 short ones.
		if (connection.waiting.length >= bound.waitingOfConnection) socket.destroy();
		if (socket.destroyed) return Promise.resolve(false);
		return new Promise((resolve) => connection.waiting.push(resolve));
	}

	#connectionOf(socket: Socket): Connection {
		const known = this.#connections.get(socket);
		if (known) return known;
		const connection: Connection = { worked: 0, waiting: [] };
		this.#connections.set(socket, connection);
		socket.once("close", () => {
			for (const begin of connection.waiting.splice(0)) begin(false);
		});
		return connection;
	}
}

/** Gives the place of an answered request to the next one; when none waits any more, the connection is read again. */
function next(socket: Socket, connection: Connection): void {
	const begin = connection.waiting.shift();
	if (begin) return begin(!socket.destroyed);
	connection.worked--;
	if (socket.isPaused()) socket.resume();
}
