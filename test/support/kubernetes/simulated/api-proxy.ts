/**
 * Stands before a real API server and spoils calls of its clients: it swallows answers of calls that have happened, answers in the
 * server's place, or lets watches fall silent.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request, type RequestOptions, type Server } from "node:https";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { KubeServer } from "../kube-server.ts";

/** A call, for a rule that chooses among calls. */
export interface ProxiedCall {
	readonly method: string;
	/** The path with the query. */
	readonly path: string;
	readonly isWatch: boolean;
}

/**
 * `lost`: the call happens, and its answer never arrives. `silent`: a watch is open and tells nothing. `held`: the call happens when it is
 * let go, also when its client has given it up meanwhile. A number: the status of a refusal.
 */
export type ApiFault = "lost" | "silent" | "held" | number;

/** A call that waits to happen. */
interface Held {
	readonly answer: ServerResponse;
	readonly call: RequestOptions;
	readonly body: string;
}

type Rule = (call: ProxiedCall) => ApiFault | undefined;

const reasons: Readonly<Record<number, string>> = {
	409: "Conflict",
	410: "Expired",
	429: "TooManyRequests",
	500: "InternalError",
	503: "ServiceUnavailable",
};

export class ApiProxy implements AsyncDisposable {
	/** Decides on each call that begins; default: nothing is spoiled. */
	rule: Rule = () => undefined;
	/** The calls that were spoiled, such as `lost POST`. */
	readonly spoiled: string[] = [];
	readonly #watches = new Set<ServerResponse>();
	readonly #held: Held[] = [];
	readonly #server: Server;
	readonly #behind: KubeServer;

	private constructor(behind: KubeServer) {
		this.#behind = behind;
		this.#server = createServer(behind.certificate, (incoming, answer) => this.#pass(incoming, answer));
	}

	static async listen(behind: KubeServer): Promise<ApiProxy> {
		const proxy = new ApiProxy(behind);
		proxy.#server.listen(0, "127.0.0.1");
		await once(proxy.#server, "listening");
		return proxy;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	/** Ends the watches that are open, so that the rule decides on those that follow: a watch lives for minutes. */
	endWatches(): void {
		for (const watch of this.#watches) watch.destroy();
	}

	/** Lets the calls happen that are held; resolves to the statuses of their answers. */
	async letGo(): Promise<number[]> {
		return Promise.all(this.#held.splice(0).map(({ answer, call, body }) => this.#happenLate(answer, call, body)));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		this.#server.closeAllConnections();
		await once(this.#server, "close");
	}

	#pass(incoming: IncomingMessage, answer: ServerResponse): void {
		const { method = "GET", url: path = "/" } = incoming;
		const isWatch = /[?&]watch=true/.test(path);
		const fault = this.rule({ method, path, isWatch });
		if (fault !== undefined) this.spoiled.push(`${fault} ${method}`);
		if (typeof fault === "number") return refuse(incoming, answer, fault);
		const call = this.#callOf(incoming);
		if (fault === "held") return void text(incoming).then((body) => this.#held.push({ answer, call, body }));
		if (isWatch) this.#watches.add(answer);
		const upstream = request(call);
		incoming.pipe(upstream);
		answer.on("close", () => {
			this.#watches.delete(answer);
			upstream.destroy();
		});
		upstream.on("error", () => answer.destroy());
		upstream.on("response", (response) => {
			if (fault === "lost") {
				response.resume();
				response.on("end", () => answer.destroy());
				return;
			}
			answer.writeHead(response.statusCode ?? 502, response.headers);
			if (fault === "silent") answer.flushHeaders();
			else response.pipe(answer);
			response.on("error", () => answer.destroy());
		});
	}

	#callOf({ method, url: path, headers }: IncomingMessage): RequestOptions {
		const { port, certificate } = this.#behind;
		return { host: "127.0.0.1", port, method, path, headers, ca: certificate.cert };
	}

	async #happenLate(answer: ServerResponse, call: RequestOptions, body: string): Promise<number> {
		const upstream = request(call);
		upstream.end(body);
		const [response] = (await once(upstream, "response")) as [IncomingMessage];
		const { statusCode = 502, headers } = response;
		const content = await text(response);
		if (!answer.destroyed) answer.writeHead(statusCode, headers).end(content);
		return statusCode;
	}
}

function refuse(incoming: IncomingMessage, answer: ServerResponse, code: number): void {
	incoming.resume();
	const retry = code === 429 ? { "retry-after": "1" } : {};
	answer.writeHead(code, { "content-type": "application/json", ...retry });
	answer.end(
		JSON.stringify({
			kind: "Status",
			status: "Failure",
			code,
			reason: reasons[code],
			message: "A test spoils this call",
		}),
	);
}
