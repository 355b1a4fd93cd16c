/** Lets pods reach servers that listen on loopback: each is at the same port of an address of the machine. */
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { linkStreams } from "#shared/net/linked-streams.ts";

export class MachineRelay implements Disposable {
	readonly #address: string;
	readonly #servers = new Map<string, Server>();

	constructor(address: string) {
		this.#address = address;
	}

	/** Resolves to the origin as pods reach it. It keeps no process alive. @param loopback The URL of a server on loopback, without TLS. */
	async publish(loopback: string): Promise<string> {
		const { port } = new URL(loopback);
		if (!this.#servers.has(port)) {
			const server = createServer((client) => linkStreams(client, connect(Number(port), "127.0.0.1")));
			this.#servers.set(port, server);
			server.unref();
			server.listen(Number(port), this.#address);
			await once(server, "listening");
		}
		return `http://${this.#address}:${port}`;
	}

	[Symbol.dispose](): void {
		for (const server of this.#servers.values()) server.close();
	}
}
