/** Another host, which the configuration allows, and to which the evil provider sends people. */
import { createServer, type Server } from "node:http";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../machine/loopback-server.ts";

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
		await listenOnLoopback(elsewhere.#server);
		return elsewhere;
	}

	get origin(): string {
		return loopbackUrl(this.#server);
	}

	/** Whether a text was in anything that arrived. */
	saw(text: string): boolean {
		return this.#seen.some((seen) => seen.includes(text));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}
}
