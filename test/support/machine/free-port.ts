/** A port of loopback that nobody listens on at the moment, for programs that cannot choose one themselves. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type ListenOptions, type Server } from "node:net";

/**
 * Below those that the system gives to whoever names none (ip(7), `ip_local_port_range`): the port of a server that has
 * not started yet, or starts again, is taken by nobody meanwhile.
 */
const [lowest, end] = [20_000, 32_000];

/** No test of another process is given it as long as this process lives. */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = randomInt(lowest, end);
		// A name that the kernel gives to one process only (unix(7), abstract sockets), and takes back when that ends.
		const claim = await listening({ path: `\0atelier-test-port-${port}` });
		if (!claim) continue;
		claim.unref();
		const server = await listening({ port, host: "127.0.0.1" });
		if (!server) continue;
		server.close();
		await once(server, "close");
		return port;
	}
}

/** Undefined when somebody else listens there. */
async function listening(where: ListenOptions): Promise<Server | undefined> {
	const server = createServer().listen(where);
	try {
		await once(server, "listening");
		return server;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return undefined;
		throw error;
	}
}
