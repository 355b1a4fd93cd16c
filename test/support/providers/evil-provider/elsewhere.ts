/** Another host, which the configuration allows, and to which the evil provider sends people. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class Elsewhere implements AsyncDisposable {
	readonly #seen: string[] = [];
	readonly #server: Server;

	private constructor() {
		this.#server = createServer((request, response) => {
			this.#seen.push(JSON.stringify([request.url, request.rawHeaders]));
			request.on("data", (chunk: Buffer) => this.#seen.push(chunk.toString()));
			response.writeHead(200, { "content-type": "application/json" }).end('{"poison":true}');
		});
	}

	static async start(): Promise<Elsewhere> {
		const elsewhere = new Elsewhere();
		await once(elsewhere.#server.listen(0, "127.0.0.1"), "listening");
		return elsewhere;
	}

	get origin(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	/** Whether a text was in anything that arrived. */
	saw(text: string): boolean {
		return this.#seen.some((seen) => seen.includes(text));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		this.#server.close();
		await once(this.#server, "close");
	}
}
