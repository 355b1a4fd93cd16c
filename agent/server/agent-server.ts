/** The pod's HTTP server on loopback: JSON for the platform, and the upgrade to the WebSocket. */
import { bound } from "#shared/base/bounds.ts";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { readBounded } from "#shared/base/bounded-read.ts";
import { type JsonObject, parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import { listen } from "#shared/net/sockets/listen.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { slowPeerLimits } from "#shared/net/http/slow-peers.ts";
import { RequestError, requestErrorOf } from "./request-error.ts";
import type { RequestGuard } from "./request-guard.ts";

/** An import would load the whole module with its client for the web, for 25 ms of every start. */
const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");

/** The handlers of `GET` by path; each returns the answer. @throws what becomes a {RequestError} (request-error.ts). */
export type Routes = Readonly<Record<string, (query: URLSearchParams) => unknown>>;

/** The handlers of `POST` by path; each returns the JSON of the answer. @throws the same errors. */
export type Commands = Readonly<Record<string, (body: JsonObject) => unknown>>;

export interface PodApi {
	readonly routes: Routes;
	readonly commands: Commands;
}

/** Takes over the connection of a request and upgrades it. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

/** The place at which a pod listens: a Unix socket, or a port of a host; without a port a free one. */
export interface AgentPlace {
	readonly host?: string | undefined;
	readonly port?: number | undefined;
	readonly path?: string;
}

/** The bound on the body of a command; the largest one has the secrets of a launch. */
const maxBodyBytes = 524_288;

/** The answer to a fault of the session agent; the log has the details. */
const fault = new RequestError(500, "The pod could not answer", "POD_FAULT");

/** Owns the socket; the pod closes it. */
export class AgentServer {
	readonly #server: Server;
	readonly #guard: RequestGuard;
	/** It is undefined until {@link serve} is called. */
	#api: PodApi | undefined;
	readonly #log: LogBuffer;

	private constructor(guard: RequestGuard, log: LogBuffer) {
		this.#guard = guard;
		this.#log = log;
		this.#server = createServer(slowPeerLimits);
		this.#server.maxConnections = bound.podConnections;
		this.#server.on("request", (request, response) => void this.#answer(request, response));
	}

	/** Listens; requests get 503 until `serve` is called. @param place Default: a free port of loopback. */
	static async listen(guard: RequestGuard, log: LogBuffer, place: AgentPlace = {}): Promise<AgentServer> {
		const server = new AgentServer(guard, log);
		const { host = "127.0.0.1", port = 0, path } = place;
		// The folder of a Unix socket belongs to this pod; the platform has another user, and every request needs the key.
		const at = path === undefined ? { host, port } : { path, readableAll: true, writableAll: true };
		await listen(server.#server, at);
		return server;
	}

	/** The port; undefined for a Unix socket. */
	get port(): number | undefined {
		const address = this.#server.address();
		return typeof address === "object" ? address?.port : undefined;
	}

	serve(api: PodApi): void {
		this.#api = api;
	}

	/** Upgrades requests to `path` that pass the guard. */
	onUpgrade(path: string, upgrade: Upgrade): void {
		this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
			socket.on("error", () => socket.destroy());
			this.#upgrade(path, request, () => upgrade(request, socket, head)).catch((error: unknown) =>
				refuseUpgrade(socket, requestErrorOf(error) ?? fault),
			);
		});
	}

	close(): void {
		this.#server.close();
		this.#server.closeAllConnections();
	}

	async #upgrade(path: string, request: IncomingMessage, upgrade: () => Promise<void>): Promise<void> {
		this.#guard.check(request.headers, this.port);
		if (pathOf(request) !== path) throw new RequestError(404, "Not Found");
		await upgrade();
	}

	/** @throws {RequestError} */
	async #serve(request: IncomingMessage): Promise<unknown> {
		if (!this.#api) throw new RequestError(503, "The pod is starting", "POD_STARTING");
		const path = pathOf(request);
		const route = ownOf(this.#api.routes, path);
		const command = ownOf(this.#api.commands, path);
		if (!route && !command) throw new RequestError(404, "Not Found");
		if (route && request.method === "GET") return route(new URL(request.url ?? "/", "http://pod").searchParams);
		if (command && request.method === "POST") return command(await readBody(request));
		throw new RequestError(405, "Method Not Allowed");
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		try {
			this.#guard.check(request.headers, this.port);
			send(response, 200, await this.#serve(request));
		} catch (error) {
			const known = requestErrorOf(error);
			if (!known) this.#log.add("ERROR", "session-agent", `A request failed: ${String(error)}`);
			const { status, message, type } = known ?? fault;
			send(response, status, { detail: message, type });
		}
	}
}

/** @throws {RequestError} */
async function readBody(request: IncomingMessage): Promise<JsonObject> {
	const tooLarge = () => new RequestError(413, `A command has at most ${maxBodyBytes} bytes`);
	const bytes = await readBounded(request, { maxBytes: maxBodyBytes, tooLarge });
	if (bytes.length === 0) return {};
	const body = parseJsonObject(bytes.toString("utf8"));
	if (!body) throw new RequestError(400, "A command's body must be a JSON object");
	return body;
}

function ownOf<T>(table: Readonly<Record<string, T>>, path: string): T | undefined {
	return Object.hasOwn(table, path) ? table[path] : undefined;
}

function pathOf({ url = "/" }: IncomingMessage): string {
	const [path = "/"] = url.split("?");
	return path;
}

function send(response: ServerResponse, status: number, body: unknown): void {
	const content = Buffer.from(JSON.stringify(body));
	response.writeHead(status, { "content-type": "application/json", "content-length": content.length });
	response.end(content);
}

function refuseUpgrade(socket: Duplex, { status, message }: RequestError): void {
	const body = JSON.stringify({ detail: message });
	const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, "Content-Type: application/json", "Connection: close"];
	socket.end(`${head.join("\r\n")}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
