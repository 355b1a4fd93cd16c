/**
 * The way out of a session that has no network: an HTTP proxy (RFC 9110, section 9.3.6 for `CONNECT`) on a socket of the session's
 * own. It resolves names itself, so that a name cannot lead into the platform's network.
 */
import {
	createServer,
	type IncomingMessage,
	type OutgoingHttpHeaders,
	request as httpRequest,
	type Server,
	type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { bound } from "#shared/base/bounds.ts";
import { EgressConnections, type EgressDependencies, RefusedConnection } from "./egress-connections.ts";
import { endToEndHeaders } from "#shared/base/headers/hop-by-hop.ts";
import { slowPeerLimits } from "#shared/net/http/slow-peers.ts";
import { linkStreams } from "../linked-streams.ts";
import { listen } from "../sockets/listen.ts";
import { destinationOf } from "./egress-rules.ts";

/** A connection on which nothing moves for this long is closed, in milliseconds. */
const idleMs = 900_000;

/** The proxy of one session. Its owner closes it, which ends all connections. */
export class EgressProxy {
	readonly #connections: EgressConnections;
	readonly #server: Server;
	/** The clients of tunnels, of which the server knows nothing any more. */
	readonly #tunnels = new Set<Duplex>();

	constructor(dependencies: EgressDependencies) {
		this.#connections = new EgressConnections(dependencies);
		this.#server = createServer({ ...slowPeerLimits, requestTimeout: 0 });
		// More than the connections to servers, so that those beyond are refused in words.
		this.#server.maxConnections = bound.egressClients;
		this.#server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) =>
			this.#take(request.url ?? "", client, head),
		);
		this.#server.on("request", (request, response) => {
			forward(this.#connections, request, response).catch((error: unknown) => refuseRequest(response, error));
		});
	}

	/** Resolves when it listens at the socket. @throws {Error} when it cannot. */
	async listen(socketPath: string): Promise<void> {
		await listen(this.#server, { path: socketPath });
	}

	close(): void {
		this.#server.close();
		this.#server.closeAllConnections();
		for (const client of this.#tunnels) client.destroy();
	}

	#take(authority: string, client: Duplex, head: Buffer): void {
		this.#tunnels.add(client);
		client.on("error", () => client.destroy());
		client.on("close", () => this.#tunnels.delete(client));
		tunnel(this.#connections, authority, client, head).catch((error: unknown) => refuseTunnel(client, error));
	}
}

async function tunnel(connections: EgressConnections, authority: string, client: Duplex, head: Buffer): Promise<void> {
	const destination = destinationOf(authority);
	if (!destination) throw new RefusedConnection(400, "The destination has to be a host with a port");
	const server = await connections.open(destination);
	// Nobody would end the connection of a client that has left meanwhile.
	if (client.destroyed) return void server.destroy();
	client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
	if (head.length > 0) server.write(head);
	linkStreams(client, server);
	server.setTimeout(idleMs, () => server.destroy());
}

/** Passes on a request whose target is a whole URL, as clients send them for `http:`. */
async function forward(
	connections: EgressConnections,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const url = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : undefined;
	const destination = url?.protocol === "http:" ? destinationOf(url.host, 80) : undefined;
	if (!url || !destination) throw new RefusedConnection(400, "This is a proxy: the target has to be a URL of http");
	const framing = framingOf(request);
	const server = await connections.open(destination);
	if (response.destroyed) return void server.destroy();
	server.setTimeout(idleMs, () => server.destroy());
	try {
		const headers = { ...endToEndHeaders(request.headers), ...framing, host: url.host, connection: "close" };
		const answer = await answerOf(server, { path: url.pathname + url.search, headers }, request, response);
		response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.headers));
		// An answer that breaks off has to end the client's connection too.
		await pipeline(answer, response);
	} finally {
		server.destroy();
	}
}

/** Returns the headers that say how long the body is. A request without any has none (RFC 9112, section 6.3). @throws {RefusedConnection} */
function framingOf({ headers, method = "" }: IncomingMessage): OutgoingHttpHeaders {
	const coding = headers["transfer-encoding"];
	if (coding === undefined)
		return headers["content-length"] === undefined && mayHaveBody.test(method) ? { "content-length": "0" } : {};
	if (coding.toLowerCase() !== "chunked") throw new RefusedConnection(501, "The transfer coding is not known");
	return { "transfer-encoding": "chunked" };
}

/** The methods for which Node.js sends a body in chunks if it does not know the length. */
const mayHaveBody = /^(POST|PUT|PATCH)$/;

/** Sends the request, and resolves with the answer. Rejects also when the connection ends without one. */
function answerOf(
	server: Socket,
	target: { readonly path: string; readonly headers: OutgoingHttpHeaders },
	request: IncomingMessage,
	response: ServerResponse,
): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		// Nobody else listens when the request cannot be made.
		server.on("error", reject);
		const outgoing = httpRequest({ ...target, createConnection: () => server, method: request.method }, resolve);
		outgoing.on("error", reject);
		outgoing.on("close", () => reject(new Error("The server has closed the connection")));
		response.on("close", () => outgoing.destroy());
		// It throws here if it refuses a header; inside of a pipe, the exception would be nobody's, and end the process.
		outgoing.flushHeaders();
		request.pipe(outgoing);
	});
}

function refusalOf(error: unknown): RefusedConnection {
	return error instanceof RefusedConnection ? error : new RefusedConnection(502, "The proxy cannot do that");
}

function refuseTunnel(client: Duplex, error: unknown): void {
	const { status, message } = refusalOf(error);
	client.end(`HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${message}\n`);
}

function refuseRequest(response: ServerResponse, error: unknown): void {
	const { status, message } = refusalOf(error);
	if (response.headersSent) response.destroy();
	else response.writeHead(status, { "content-type": "text/plain" }).end(`${message}\n`);
}
