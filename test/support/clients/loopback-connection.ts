/** A real connection within this process, both ends of it. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface LoopbackConnection {
	readonly client: Socket;
	/** The end that a server has of it. */
	readonly accepted: Socket;
	close(): void;
}

/** @param host To connect to. @param listenOn Default the same. */
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
