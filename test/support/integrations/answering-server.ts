/** A server that answers every request as a test says, and remembers what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request. */
export interface Asked {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
}

export interface AnsweringServer extends AsyncDisposable {
	/** The origin, e.g. `http://127.0.0.1:34567`. */
	readonly url: string;
	readonly asked: Asked[];
	/** Answers the requests from now on. */
	answer: (asked: Asked, response: ServerResponse) => void;
}

/** Answers with JSON. */
export function json(status: number, body: unknown): AnsweringServer["answer"] {
	return (_asked, response) => {
		response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
	};
}

/** Starts a server on loopback that answers 200 `{}`. */
export async function answeringServer(): Promise<AnsweringServer> {
	const server = createServer(({ method = "", url = "", headers }, response) => {
		const asked = { method, path: url, headers };
		started.asked.push(asked);
		started.answer(asked, response);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const started: AnsweringServer = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		asked: [],
		answer: json(200, {}),
		async [Symbol.asyncDispose]() {
			server.close();
			server.closeAllConnections();
			await once(server, "close");
		},
	};
	return started;
}
