/** A server that answers every request as a test says, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../machine/loopback-server.ts";

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
	await listenOnLoopback(server);
	const started: AnsweringServer = {
		url: loopbackUrl(server),
		asked: [],
		answer: json(200, {}),
		async [Symbol.asyncDispose]() {
			await closeAtOnce(server);
		},
	};
	return started;
}
