/** Requests over connections that are kept open for the next one: bounded, closed at the end. No redirect is followed. */
import type {
	Agent,
	AgentOptions,
	ClientRequest,
	IncomingMessage,
	OutgoingHttpHeaders,
	RequestOptions,
} from "node:http";

/** Not by an import: that loads the other client for the web too, for 10 MB of every pod (see `agent-server.ts`). */
const http = process.getBuiltinModule("node:http");

export interface KeptRequest {
	readonly url: string;
	readonly method: "GET" | "POST" | "DELETE";
	readonly headers: OutgoingHttpHeaders;
	readonly body?: string | Buffer;
	/** Ends the request, its answer included. */
	readonly signal: AbortSignal;
}

/** With TLS or without. */
interface Web {
	readonly Agent: new (options: AgentOptions) => Agent;
	readonly request: (url: string, options: RequestOptions) => ClientRequest;
}

const maxHeaderBytes = 65_536;
const maxFreeSockets = 4;

export class KeptConnections {
	readonly #options: AgentOptions;
	readonly #agents = new Map<Web, Agent>();

	/**
	 * @param sockets How many are open at most.
	 * @param freeMs How long one is kept that nobody uses, or less when the server says so; as long as the server keeps it
	 * when absent.
	 */
	constructor(sockets: number, freeMs = 0) {
		const bounds = { maxSockets: sockets, maxTotalSockets: sockets, maxFreeSockets, timeout: freeMs };
		this.#options = { keepAlive: true, scheduling: "lifo", ...bounds };
	}

	/**
	 * Resolves with the head of the answer. When the server closes a kept connection just as it is used again, the request
	 * is sent once more, over a new one: a server that did hear it before is asked twice.
	 * @throws {NodeJS.ErrnoException}
	 */
	async send(request: KeptRequest): Promise<IncomingMessage> {
		try {
			return await this.#sendOnce(request);
		} catch (error) {
			if (!(error instanceof StaleConnection)) throw error;
			// It may have closed the others at the same time.
			this.#closeFree();
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

	#sendOnce({ url, method, headers, body, signal }: KeptRequest): Promise<IncomingMessage> {
		return new Promise((resolve, reject) => {
			// What TLS needs is loaded when it is needed.
			const web: Web = url.startsWith("https:") ? process.getBuiltinModule("node:https") : http;
			const options = { method, headers, signal, maxHeaderSize: maxHeaderBytes, agent: this.#agentOf(web) };
			const outgoing = web.request(url, options);
			outgoing.once("response", resolve);
			outgoing.on("error", (error) => reject(isStale(error, outgoing, signal) ? new StaleConnection() : error));
			outgoing.end(body);
		});
	}

	#agentOf(web: Web): Agent {
		const agent = this.#agents.get(web) ?? new web.Agent(this.#options);
		this.#agents.set(web, agent);
		return agent;
	}
}

class StaleConnection extends Error {
	override readonly name = "StaleConnection";
	readonly code = "ECONNRESET";
}

function isStale({ code = "" }: NodeJS.ErrnoException, { reusedSocket }: ClientRequest, signal: AbortSignal): boolean {
	return reusedSocket && ["ECONNRESET", "EPIPE"].includes(code) && !signal.aborted;
}
