/** How the HTTP servers of tests listen on a free port of this machine, and end. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Server as SocketServer } from "node:net";

/** Resolves when the server listens. */
export async function listenOnLoopback(server: SocketServer): Promise<void> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
}

/** Returns the origin of a server that listens, e.g. `http://127.0.0.1:34567`. */
export function loopbackUrl(server: SocketServer): string {
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends the server and its connections. */
export async function closeAtOnce(server: Server): Promise<void> {
	server.close();
	server.closeAllConnections();
	await once(server, "close");
}
