/** Lets pods reach servers that listen on loopback, at an address of the machine. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { linkStreams } from "#shared/net/linked-streams.ts";
import type { Certificate } from "../../bus/test-certificates.ts";

export class MachineRelay implements Disposable {
	readonly #address: string;
	readonly #servers = new Map<string, Server>();

	constructor(address: string) {
		this.#address = address;
	}

	/** Resolves to the origin as pods reach it, with the same port. @param loopback The URL of a server on loopback, without TLS. */
	async publish(loopback: string): Promise<string> {
		const { port } = new URL(loopback);
		if (!this.#servers.has(port)) await this.#listen(createServer(toPort(port)), port, Number(port));
		return `http://${this.#address}:${port}`;
	}

	/** Resolves to an origin with TLS. @param certificate A certificate for the address. */
	async publishSecurely(loopback: string, { cert, key }: Certificate): Promise<string> {
		const { port } = new URL(loopback);
		const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, toPort(port));
		server.on("tlsClientError", () => {});
		return `https://${this.#address}:${await this.#listen(server, `${port} with TLS`, 0)}`;
	}

	/** It keeps no process alive. */
	async #listen(server: Server, name: string, port: number): Promise<number> {
		this.#servers.set(name, server);
		server.unref();
		server.listen(port, this.#address);
		await once(server, "listening");
		// A server that listens at an address has a port.
		return (server.address() as AddressInfo).port;
	}

	[Symbol.dispose](): void {
		for (const server of this.#servers.values()) server.close();
	}
}

function toPort(port: string): (client: Socket) => void {
	return (client) => linkStreams(client, connect(Number(port), "127.0.0.1"));
}
