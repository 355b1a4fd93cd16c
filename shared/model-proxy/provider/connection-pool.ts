/** HTTP requests over a bounded number of connections, which are reused. Redirects are not followed. */
import type {
	Agent,
	AgentOptions,
	ClientRequest,
	IncomingMessage,
	OutgoingHttpHeaders,
	RequestOptions,
} from "node:http";
import type { Socket } from "node:net";
import { after } from "#shared/base/clock.ts";
import type { ProxyVariables } from "#shared/net/http/environment-proxy.ts";

/** An import would also load the client for the web, for 10 MB of every pod (see `agent-server.ts`). */
const http = process.getBuiltinModule("node:http");

export interface PooledRequest {
	readonly url: string;
	readonly method: "GET" | "POST" | "DELETE";
	readonly headers: OutgoingHttpHeaders;
	readonly body?: string | Buffer;
	/** Whether the server may receive the request twice without harm. */
	readonly isRepeatable: boolean;
	/** The signal ends the request and its response. */
	readonly signal: AbortSignal;
}

/** The two modules of Node, for HTTP and for HTTPS. */
interface Web {
	readonly Agent: new (options: AgentOptions) => Agent;
	readonly request: (url: string, options: RequestOptions) => ClientRequest;
}

const maxHeaderBytes = 65_536;
const maxFreeSockets = 4;

/** Owns the connections to one or more servers. The owner of the pool closes it. */
export class ConnectionPool {
	readonly #options: AgentOptions;
	readonly #connectMs: number | undefined;
	readonly #agents = new Map<Web, Agent>();

	/**
	 * @param sockets The largest number of open connections.
	 * @param freeMs How long an idle connection stays open, or less when the server asks for less. When it is absent,
	 * the server decides.
	 * @param connectMs How long a new connection may take to open. When it is absent, the system decides. It does not bound what a proxy does.
	 * @param proxyEnv The proxy for servers with HTTPS. When it is absent, all are reached directly.
	 */
	constructor(sockets: number, freeMs = 0, connectMs?: number, proxyEnv?: ProxyVariables) {
		this.#connectMs = connectMs;
		const bounds = { maxSockets: sockets, maxTotalSockets: sockets, maxFreeSockets, timeout: freeMs };
		this.#options = { keepAlive: true, scheduling: "lifo", ...bounds, ...(proxyEnv && { proxyEnv }) };
	}

	/**
	 * Resolves with the head of the response. When the server closes an idle connection just as it is reused, the
	 * request is sent once more over a new connection, if the server cannot have received it or may receive it twice.
	 * @throws {Unanswered}
	 */
	async send(request: PooledRequest): Promise<IncomingMessage> {
		try {
			return await this.#sendOnce(request);
		} catch (error) {
			if (!(error instanceof Unanswered) || !error.isStale) throw error;
			// The server may have closed the other idle connections at the same time.
			this.#closeFree();
			if (error.mayBeReceived && !request.isRepeatable) throw error;
			return this.#sendOnce(request);
		}
	}

	close(): void {
		for (const agent of this.#agents.values()) agent.destroy();
	}

	#closeFree(): void {
		for (const { freeSockets } of this.#agents.values()) {
			for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
		}
	}

	#sendOnce({ url, method, headers, body, signal }: PooledRequest): Promise<IncomingMessage> {
		return new Promise((resolve, reject) => {
			// The TLS module is loaded when it is needed.
			const web: Web = url.startsWith("https:") ? process.getBuiltinModule("node:https") : http;
			const options = { method, headers, signal, maxHeaderSize: maxHeaderBytes, agent: this.#agentOf(web) };
			const outgoing = web.request(url, options);
			const open = web === http ? "connect" : "secureConnect";
			const hasWritten = watchWriting(outgoing, open);
			if (this.#connectMs !== undefined) boundOpening(outgoing, open, this.#connectMs);
			outgoing.once("response", resolve);
			outgoing.on("error", (error) =>
				reject(new Unanswered(error, { mayBeReceived: hasWritten(), isStale: isStale(error, outgoing, signal) })),
			);
			outgoing.end(body);
		});
	}

	#agentOf(web: Web): Agent {
		const agent = this.#agents.get(web) ?? new web.Agent(this.#options);
		this.#agents.set(web, agent);
		return agent;
	}
}

/** A request to which no response began. */
export class Unanswered extends Error {
	override readonly name = "Unanswered";
	readonly code: string | undefined;
	/** The value is false when no byte of the request was sent. */
	readonly mayBeReceived: boolean;
	/** The request was sent over an idle connection that the server had closed. */
	readonly isStale: boolean;

	constructor(cause: NodeJS.ErrnoException, { mayBeReceived, isStale }: { mayBeReceived: boolean; isStale: boolean }) {
		super(cause.message, { cause });
		this.code = cause.code;
		this.mayBeReceived = mayBeReceived;
		this.isStale = isStale;
	}
}

/** @returns Whether a byte of the request was written to its connection. @param open The event of a new connection. */
function watchWriting(outgoing: ClientRequest, open: "connect" | "secureConnect"): () => boolean {
	let hasWritten = (): boolean => false;
	outgoing.once("socket", (socket) => {
		const before = socket.bytesWritten;
		const begin = (): void => void (hasWritten = () => socket.bytesWritten > before);
		if (outgoing.reusedSocket || isOpen(socket)) begin();
		else socket.once(open, begin);
	});
	return () => hasWritten();
}

/** A connection through a proxy is given to its request when it is open. */
function isOpen(socket: Socket): boolean {
	return !socket.connecting && !("secureConnecting" in socket && socket.secureConnecting === true);
}

/** A connection that is reused is open already. */
function boundOpening(outgoing: ClientRequest, open: "connect" | "secureConnect", ms: number): void {
	outgoing.once("socket", (socket) => {
		if (outgoing.reusedSocket || isOpen(socket)) return;
		const late = Object.assign(new Error("The connection does not open"), { code: "ETIMEDOUT" });
		const timer = after(ms, () => outgoing.destroy(late));
		for (const event of [open, "close"]) socket.once(event, () => timer.cancel());
	});
}

function isStale({ code = "" }: NodeJS.ErrnoException, { reusedSocket }: ClientRequest, signal: AbortSignal): boolean {
	return reusedSocket && ["ECONNRESET", "EPIPE"].includes(code) && !signal.aborted;
}
