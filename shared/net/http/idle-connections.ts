/**
 * Makes room for new connections when a server has nearly as many as it may have: of the address with most connections
 * without a request, the one that has waited longest is closed. Clients that keep connections open then keep nobody out.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Watches the connections of a server. Its bound must be set before. */
export function closeIdleForNew(server: Server): void {
	/** The connections without a request by address; those that have waited longest come first. */
	const idle = new Map<string, Set<Socket>>();
	const underWay = new WeakMap<Socket, number>();
	let open = 0;

	const rest = (socket: Socket, address: string): void => {
		const own = idle.get(address) ?? new Set();
		idle.set(address, own.add(socket));
	};
	const leave = (socket: Socket, address: string): void => {
		const own = idle.get(address);
		own?.delete(socket);
		if (own?.size === 0) idle.delete(address);
	};
	const begin = ({ socket }: Pick<IncomingMessage, "socket">, response?: ServerResponse): void => {
		const { remoteAddress = "" } = socket;
		leave(socket, remoteAddress);
		underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
		response?.once("close", () => {
			const left = (underWay.get(socket) ?? 1) - 1;
			underWay.set(socket, left);
			if (left === 0 && !socket.destroyed) rest(socket, remoteAddress);
		});
	};
	server.on("connection", (socket: Socket) => {
		const { remoteAddress = "" } = socket;
		open++;
		rest(socket, remoteAddress);
		socket.once("close", () => {
			open--;
			leave(socket, remoteAddress);
		});
		if (open >= server.maxConnections) oldestOfMost(idle, socket)?.destroy();
	});
	server.on("request", begin).on("checkContinue", begin);
	server.on("upgrade", (request) => begin(request));
}

/** Returns the connection to close; the new one is the last to go. */
function oldestOfMost(idle: ReadonlyMap<string, ReadonlySet<Socket>>, fresh: Socket): Socket | undefined {
	let most: ReadonlySet<Socket> = new Set();
	for (const own of idle.values()) if (own.size > most.size) most = own;
	const [oldest] = most;
	return oldest === fresh ? undefined : oldest;
}
