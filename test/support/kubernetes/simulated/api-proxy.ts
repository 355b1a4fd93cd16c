/**
 * Stands before a real API server and spoils calls of its clients: it swallows answers of calls that have happened, answers in the
 * server's place, or lets watches fall silent.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request, type Server } from "node:https";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { KubeServer } from "../kube-server.ts";

/** A call, for a rule that chooses among calls. */
export interface ProxiedCall {
	readonly method: string;
	/** The path with the query. */
	readonly path: string;
	readonly isWatch: boolean;
}

/** `lost`: the call happens, and its answer never arrives. `silent`: a watch is open and tells nothing. A number: the status of a refusal. */
export type ApiFault = "lost" | "silent" | number;

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

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		this.#server.closeAllConnections();
		await once(this.#server, "close");
	}

	#pass(incoming: IncomingMessage, answer: ServerResponse): void {
		const { method = "GET", url: path = "/" } = incoming;
		const fault = this.rule({ method, path, isWatch: /[?&]watch=true/.test(path) });
		if (fault !== undefined) this.spoiled.push(`${fault} ${method}`);
		if (typeof fault === "number") return refuse(incoming, answer, fault);
		const upstream = request({
			host: "127.0.0.1",
			port: this.#behind.port,
			method,
			path,
			headers: incoming.headers,
			ca: this.#behind.certificate.cert,
		});
		incoming.pipe(upstream);
		answer.on("close", () => upstream.destroy());
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
