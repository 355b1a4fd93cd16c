/** Passes each HTTP request to the next of several servers on loopback, also when they come over one connection. */
import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { closeAtOnce, listenOnLoopback } from "../machine/loopback-server.ts";

export class Balancer implements AsyncDisposable {
	/** The ports of the servers. */
	targets: readonly number[] = [];
	readonly #server: Server;
	#requests = 0;

	private constructor() {
		this.#server = createServer((request, response) => this.#pass(request, response));
		this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
	}

	static async listen(): Promise<Balancer> {
		const balancer = new Balancer();
		await listenOnLoopback(balancer.#server);
		return balancer;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}

	#next(): number {
		return this.targets[this.#requests++ % this.targets.length] ?? 0;
	}

	/** The headers pass as they are, but for the host; a connection that breaks on one side ends on the other. */
	#pass(request: IncomingMessage, response: ServerResponse): void {
		const { method, url: path } = request;
		const port = this.#next();
		const headers = headersFor(port, request);
		const upstream = send({ host: "127.0.0.1", port, method, path, headers, setHost: false });
		upstream.on("response", (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
			answer.pipe(response);
			answer.on("error", () => response.destroy());
		});
		upstream.on("error", () => response.destroy());
		response.on("close", () => upstream.destroy());
		request.pipe(upstream);
	}

	#upgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
		const { method, url } = request;
		const port = this.#next();
		const server = connect(port, "127.0.0.1");
		const lines = headersFor(port, request)
			.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`))
			.join("");
		server.write(`${method} ${url} HTTP/1.1\r\n${lines}\r\n`);
		server.write(head);
		for (const [from, to] of [[client, server] as const, [server, client] as const]) {
			from.pipe(to);
			from.on("error", () => to.destroy());
			from.on("close", () => to.destroy());
		}
	}
}

/** Returns names and values in turn. A gateway that serves this machine only knows its own port alone as host. */
function headersFor(port: number, { rawHeaders }: IncomingMessage): string[] {
	const isHost = (index: number) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host";
	return rawHeaders.map((text, index) => (isHost(index) ? `127.0.0.1:${port}` : text));
}
