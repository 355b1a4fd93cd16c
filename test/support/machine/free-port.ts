/** Finds a free port of loopback, for programs that cannot choose one themselves. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type ListenOptions, type Server } from "node:net";

/**
 * The range of ports. It is below the ephemeral ports of the system (ip(7), `ip_local_port_range`), so no other program
 * takes the port of a server that has not started yet or restarts.
 */
const [lowest, end] = [20_000, 32_000];

/** Returns a port; no test of another process gets the same one while this process lives. */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = randomInt(lowest, end);
		// The kernel gives an abstract socket's name to one process only (unix(7)) and releases it when that ends.
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

/** Listens on a port or name; undefined when it is taken. */
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
