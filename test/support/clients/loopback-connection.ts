/** Opens a real connection within this process, with both of its ends. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface LoopbackConnection {
	readonly client: Socket;
	/** The server's end. */
	readonly accepted: Socket;
	close(): void;
}

/**
 * Opens a connection. @param host The address to connect to. @param listenOn The address to listen on; default the
 * same.
 */
export async function openLoopback(host = "127.0.0.1", listenOn = host): Promise<LoopbackConnection> {
	const server = createServer({ allowHalfOpen: true }).listen({ host: listenOn, port: 0 });
	await once(server, "listening");
	const accepting = once(server, "connection");
	const client = connect({ host, port: (server.address() as AddressInfo).port });
	const [[accepted]] = (await Promise.all([accepting, once(client, "connect")])) as [[Socket], unknown];
	for (const socket of [client, accepted]) socket.on("error", () => {});
	return {
		client,
		accepted,
		close() {
			server.close();
			client.destroy();
			accepted.destroy();
		},
	};
}
