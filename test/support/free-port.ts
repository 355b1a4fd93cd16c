/** A port of loopback that nobody listens on at the moment, for programs that cannot choose one themselves. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below those that the system gives to whoever names none (ip(7), `ip_local_port_range`): the port of a server that has
 * not started yet, or starts again, is taken by nobody meanwhile.
 */
const [lowest, end] = [20_000, 32_000];

export async function freePort(): Promise<number> {
	for (;;) {
		const port = randomInt(lowest, end);
		if (await isFree(port)) return port;
	}
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, "127.0.0.1");
	try {
		await once(server, "listening");
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return false;
		throw error;
	}
	server.close();
	await once(server, "close");
	return true;
}
