/** Connections to the model provider: kept open for the next call, bounded, closed at the end. */
import {
	type ClientRequest,
	type IncomingMessage,
	type OutgoingHttpHeaders,
	Agent as HttpAgent,
	request as httpRequest,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { after } from "#shared/clock.ts";
import { ProxyError } from "./proxy-error.ts";

export interface ProviderRequest {
	url: string;
	method: "GET" | "POST";
	headers: OutgoingHttpHeaders;
	/** Empty for GET. */
	body: Buffer;
	/** Ends the call, its answer included. */
	signal: AbortSignal;
}

const maxHeaderBytes = 65_536;
const maxFreeSockets = 4;

export class ProviderLink {
	readonly #firstByteMs: number;
	readonly #http: HttpAgent;
	readonly #https: HttpsAgent;

	/** @param sockets How many are open at most. @param firstByteMs How long an answer may take to begin. */
	constructor(sockets: number, firstByteMs: number) {
		this.#firstByteMs = firstByteMs;
		const options = {
			keepAlive: true,
			maxSockets: sockets,
			maxTotalSockets: sockets,
			maxFreeSockets,
			scheduling: "lifo",
		};
		this.#http = new HttpAgent({ ...options, scheduling: "lifo" });
		this.#https = new HttpsAgent({ ...options, scheduling: "lifo" });
	}

	/** Resolves with the head of the answer. It follows no redirect. @throws {ProxyError} 502 or 504. */
	async send(request: ProviderRequest): Promise<IncomingMessage> {
		try {
			return await this.#sendOnce(request);
		} catch (error) {
			// The provider has closed a connection that was kept open, just as it was used again: nothing was heard yet.
			if (error instanceof StaleConnection) return this.#sendOnce(request);
			throw error;
		}
	}

	close(): void {
		this.#http.destroy();
		this.#https.destroy();
	}

	#sendOnce({ url, method, headers, body, signal }: ProviderRequest): Promise<IncomingMessage> {
		return new Promise((resolve, reject) => {
			const length = method === "POST" ? { "content-length": body.length } : {};
			const options = { method, headers: { ...headers, ...length }, signal, maxHeaderSize: maxHeaderBytes };
			const outgoing = url.startsWith("https:")
				? httpsRequest(url, { ...options, agent: this.#https })
				: httpRequest(url, { ...options, agent: this.#http });
			const late = new ProxyError(504, `The model provider did not answer within ${this.#firstByteMs / 1_000} s`);
			const timer = after(this.#firstByteMs, () => outgoing.destroy(late));
			outgoing.once("response", (answer) => {
				timer.cancel();
				resolve(answer);
			});
			outgoing.on("error", (error) => {
				timer.cancel();
				reject(asProxyError(error, outgoing, signal));
			});
			outgoing.end(body);
		});
	}
}

class StaleConnection extends Error {
	override readonly name = "StaleConnection";
}

function asProxyError(error: NodeJS.ErrnoException, outgoing: ClientRequest, signal: AbortSignal): Error {
	if (error instanceof ProxyError) return error;
	if (outgoing.reusedSocket && error.code === "ECONNRESET" && !signal.aborted) return new StaleConnection();
	return new ProxyError(502, `The model provider cannot be reached: ${error.code ?? error.message}`, { cause: error });
}
