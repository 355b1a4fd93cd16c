/** The answers of an honest provider, so that the evil one can say it too, or almost. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { type Answer, json, ownHeaders } from "./answer.ts";
import { listenOnLoopback, loopbackUrl } from "../../machine/loopback-server.ts";

/** A request as it arrived. */
export interface Asked {
	readonly method: string;
	/** The path with its query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** Stands for the server's own origin. */
const place = "\u0000origin\u0000";
/** Headers that say how a request came, and that the server makes anew. */
const hopHeaders = new Set(["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]);

/** The answers by what was asked, and by how many changes had been made before. */
export class Recording {
	readonly #answers = new Map<string, string>();

	/** @param origins The origins of the server that answered. */
	add(asked: Asked, answer: Answer, changes: number, origins: readonly string[]): void {
		let text = JSON.stringify(answer);
		for (const origin of origins) text = text.replaceAll(origin, place);
		this.#answers.set(keyOf(asked, changes), text);
	}

	/** Returns the honest answer, or 404. @param origin The origin of the server that answers now. */
	answerTo(asked: Asked, changes: number, origin: string): Answer {
		for (let before = changes; before >= 0; before--) {
			const text = this.#answers.get(keyOf(asked, before));
			if (text !== undefined) return JSON.parse(text.replaceAll(place, origin));
		}
		return json(404, { message: "Not Found" });
	}
}

/** Each page of a list is answered like the first one. */
function keyOf({ method, path, body }: Asked, changes: number): string {
	const url = new URL(path, "http://x");
	for (const name of ["page", "cursor", "after", "nextPageToken"]) url.searchParams.delete(name);
	return `${changes} ${method} ${url.pathname} ${url.searchParams.toString()} ${method === "GET" ? "" : body}`;
}

/** The honest server, and which of its requests change something. */
export interface Recorded {
	readonly origin: string;
	readonly isWrite: (asked: Asked) => boolean;
}

/**
 * Resolves to the answers of an honest server while `use` talks to it.
 * @param use Talks to the origin that it gets.
 */
export async function record(
	{ origin: honest, isWrite }: Recorded,
	use: (origin: string) => Promise<unknown>,
): Promise<Recording> {
	const recording = new Recording();
	const server = createServer((request, response) => void pass(request, response));
	await listenOnLoopback(server);
	const own = loopbackUrl(server);
	let changes = 0;

	async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const asked = await askedBy(request);
		const { method, path, body } = asked;
		const headers = Object.entries(asked.headers).flatMap(([name, value]): [string, string][] =>
			hopHeaders.has(name) || value === undefined ? [] : [[name, String(value)]],
		);
		const answered = await fetch(honest + path, { method, headers, ...(body !== "" && { body }) });
		const answer = { status: answered.status, headers: ownHeaders(answered.headers), body: await answered.text() };
		recording.add(asked, answer, changes, [own, honest]);
		if (isWrite(asked)) changes++;
		response.writeHead(answer.status, answer.headers).end(answer.body.replaceAll(honest, own));
	}

	try {
		await use(own);
	} finally {
		server.closeAllConnections();
		server.close();
	}
	return recording;
}

/** Reads a request to its end. */
export async function askedBy(request: IncomingMessage): Promise<Asked> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	const { method = "GET", url: path = "/", headers } = request;
	return { method, path, headers, body: Buffer.concat(chunks).toString() };
}
