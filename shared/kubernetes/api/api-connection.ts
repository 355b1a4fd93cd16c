/** Sends requests to one API server over connections that are kept. */
import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { oneLine } from "#shared/base/one-line.ts";
import { ApiError, noAnswer } from "./api-error.ts";
import type { Credentials } from "./cluster-access.ts";

/** Watches have one each, and calls share the others. */
const maxSockets = 64;
/** The server closes idle connections after 90 s; one that is closed as a request arrives would lose the request. */
const idleMs = 60_000;
const json = "application/json";

/** One request. Its answer is JSON. */
export interface ApiRequest {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	readonly body?: string;
	/** The form of the body; default: JSON. */
	readonly contentType?: string | undefined;
	/** The form of the answer; default: JSON. */
	readonly accept?: string | undefined;
}

interface FailureContext {
	readonly request: ApiRequest;
	/** Whether the caller does not want the answer any more. */
	readonly isGivenUp: boolean;
	/** Whether the time of the call is over. */
	readonly isLate: boolean;
	readonly ms: number;
}

export class ApiConnection {
	readonly #server: URL;
	/** It keeps the connections of different credentials apart by itself. */
	readonly #agent = new Agent({
		keepAlive: true,
		maxSockets,
		maxFreeSockets: maxSockets,
		timeout: idleMs,
		scheduling: "lifo",
	});

	constructor(server: URL) {
		this.#server = server;
	}

	/** Resolves to the answer with any status. No redirection is followed. @throws the error of the connection. */
	send(
		{ method, path, query = {}, body, contentType = json, accept = json }: ApiRequest,
		{ headers, tls }: Credentials,
		signal: AbortSignal,
	): Promise<IncomingMessage> {
		const words = new URLSearchParams(query).toString();
		const before = this.#server.pathname.replace(/\/$/, "");
		return new Promise((resolve, reject) => {
			const outgoing = httpsRequest(
				{
					agent: this.#agent,
					host: this.#server.hostname.replace(/^\[|\]$/g, ""),
					port: this.#server.port === "" ? 443 : Number(this.#server.port),
					method,
					path: `${before}${path}${words === "" ? "" : `?${words}`}`,
					signal,
					...Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined)),
					headers: {
						...headers,
						accept,
						"user-agent": "atelier",
						// Node tells no length of a body of DELETE by itself, and the server then ignores its preconditions.
						...(body !== undefined && { "content-type": contentType, "content-length": Buffer.byteLength(body) }),
					},
				},
				resolve,
			);
			outgoing.on("error", reject);
			outgoing.end(body);
		});
	}

	/** Returns the failure in one form. */
	failureOf(error: unknown, { request: { method, path }, isGivenUp, isLate, ms }: FailureContext): ApiError {
		if (isGivenUp) return noAnswer("Aborted", `${method} ${path} was given up`);
		if (isLate)
			return noAnswer("ClientTimeout", `The cluster's API has not answered ${method} ${path} within ${ms / 1_000} s`);
		if (error instanceof ApiError) return error;
		const why = error instanceof Error ? oneLine(error.message, 300) : "no reason given";
		return noAnswer("Unreachable", `The cluster's API at ${this.#server.origin} does not answer: ${why}`, error);
	}

	close(): void {
		this.#agent.destroy();
	}
}
