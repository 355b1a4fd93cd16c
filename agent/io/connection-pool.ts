/** Requests over connections that are kept open for the next one: bounded, closed at the end. No redirect is followed. */
import type {
	Agent,
	AgentOptions,
	ClientRequest,
	IncomingMessage,
	OutgoingHttpHeaders,
	RequestOptions,
} from "node:http";
import { after } from "#shared/clock.ts";

/** Not by an import: that loads the other client for the web too, for 10 MB of every pod (see `agent-server.ts`). */
const http = process.getBuiltinModule("node:http");

export interface KeptRequest {
	readonly url: string;
	readonly method: "GET" | "POST" | "DELETE";
	readonly headers: OutgoingHttpHeaders;
	readonly body?: string | Buffer;
	/** Whether it makes no difference to a server that it gets the request twice. */
	readonly isRepeatable: boolean;
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

export class ConnectionPool {
	readonly #options: AgentOptions;
	readonly #connectMs: number | undefined;
	readonly #agents = new Map<Web, Agent>();

	/**
	 * @param sockets How many are open at most.
	 * @param freeMs How long one is kept that nobody uses, or less when the server says so; as long as the server keeps it
	 * when absent.
	 * @param connectMs How long a new one may take to open; as long as the system tries when absent.
	 */
	constructor(sockets: number, freeMs = 0, connectMs?: number) {
		this.#connectMs = connectMs;
		const bounds = { maxSockets: sockets, maxTotalSockets: sockets, maxFreeSockets, timeout: freeMs };
		this.#options = { keepAlive: true, scheduling: "lifo", ...bounds };
	}

	/**
	 * Resolves with the head of the answer. When the server closes a kept connection just as it is used again, a request
	 * that it cannot have heard, or may hear twice, is sent once more, over a new one.
	 * @throws {Unanswered}
	 */
	async send(request: KeptRequest): Promise<IncomingMessage> {
		try {
			return await this.#sendOnce(request);
		} catch (error) {
			if (!(error instanceof Unanswered) || !error.isStale) throw error;
			// It may have closed the others at the same time.
			this.#closeFree();
			if (error.mayBeHeard && !request.isRepeatable) throw error;
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
			const open = web === http ? "connect" : "secureConnect";
			const hasWritten = watchWriting(outgoing, open);
			if (this.#connectMs !== undefined) boundOpening(outgoing, open, this.#connectMs);
			outgoing.once("response", resolve);
			outgoing.on("error", (error) =>
				reject(new Unanswered(error, { mayBeHeard: hasWritten(), isStale: isStale(error, outgoing, signal) })),
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

/** A request to which no answer began. */
export class Unanswered extends Error {
	override readonly name = "Unanswered";
	readonly code: string | undefined;
	/** False: nothing of the request has left. */
	readonly mayBeHeard: boolean;
	/** It went over a kept connection, which is closed. */
	readonly isStale: boolean;

	constructor(cause: NodeJS.ErrnoException, { mayBeHeard, isStale }: { mayBeHeard: boolean; isStale: boolean }) {
		super(cause.message, { cause });
		this.code = cause.code;
		this.mayBeHeard = mayBeHeard;
		this.isStale = isStale;
	}
}

/** @returns Whether anything of the request was written to its connection. @param open Event of a new connection. */
function watchWriting(outgoing: ClientRequest, open: "connect" | "secureConnect"): () => boolean {
	let hasWritten = (): boolean => false;
	outgoing.once("socket", (socket) => {
		const before = socket.bytesWritten;
		const begin = (): void => void (hasWritten = () => socket.bytesWritten > before);
		if (outgoing.reusedSocket) begin();
		else socket.once(open, begin);
	});
	return () => hasWritten();
}

/** A connection of before is open already. */
function boundOpening(outgoing: ClientRequest, open: "connect" | "secureConnect", ms: number): void {
	outgoing.once("socket", (socket) => {
		if (outgoing.reusedSocket) return;
		const late = Object.assign(new Error("The connection does not open"), { code: "ETIMEDOUT" });
		const timer = after(ms, () => outgoing.destroy(late));
		for (const event of [open, "close"]) socket.once(event, () => timer.cancel());
	});
}

function isStale({ code = "" }: NodeJS.ErrnoException, { reusedSocket }: ClientRequest, signal: AbortSignal): boolean {
	return reusedSocket && ["ECONNRESET", "EPIPE"].includes(code) && !signal.aborted;
}
