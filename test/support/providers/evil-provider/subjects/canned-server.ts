/** An honest provider with one answer for each request, for the adapters whose answers the evil provider has to know. */
import { createServer, type Server } from "node:http";
import type { HonestServer } from "../subject.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../../machine/loopback-server.ts";

/** The answers by method and path, e.g. `GET /user`; a function is asked at the time of the request. */
export type CannedAnswers = Readonly<Record<string, unknown>>;

export class CannedServer implements HonestServer {
	readonly token = "honest-token";
	readonly #server: Server;

	private constructor(answers: CannedAnswers) {
		this.#server = createServer((request, response) => {
			request.resume();
			const { pathname } = new URL(request.url ?? "/", "http://x");
			const found = answers[`${request.method} ${pathname}`];
			const answer: unknown = typeof found === "function" ? found() : found;
			response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
			response.end(JSON.stringify(answer ?? { message: `No ${request.method} ${pathname}` }));
		});
	}

	static async start(answers: CannedAnswers): Promise<CannedServer> {
		const canned = new CannedServer(answers);
		await listenOnLoopback(canned.#server);
		return canned;
	}

	get origin(): string {
		return loopbackUrl(this.#server);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}
}
