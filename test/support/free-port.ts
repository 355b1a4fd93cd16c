/** A port of loopback that nobody listens on at the moment, for programs that cannot choose one themselves. */
import { once } from "node:events";
import { createServer } from "node:net";

export async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	await once(server, "close");
	if (address === null || typeof address === "string") throw new TypeError("Cannot read the port of a TCP server");
	return address.port;
}
