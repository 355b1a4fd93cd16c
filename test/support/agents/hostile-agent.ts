/** A hostile coding agent: it has the access of every agent and calls its model as it likes. */
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { ModelWire } from "#shared/wire/models/model-wire.ts";
import { processFile } from "../machine/process-file.ts";

const paths: Record<ModelWire, string> = {
	"openai-chat": "/chat/completions",
	"openai-responses": "/responses",
	anthropic: "/v1/messages",
	gemini: "/v1beta/models/scripted-1:streamGenerateContent",
};

export interface HostileCall {
	wire?: ModelWire;
	/** The path instead of the wire format's own. */
	path?: string;
	query?: string;
	headers?: Record<string, string>;
	/** The body; a text is sent unchanged. */
	body?: unknown;
	signal?: AbortSignal;
	/** Closes the connection as soon as there is anything to read. */
	hangsUp?: boolean;
}

export class HostileAgent {
	readonly #origin: string;
	readonly token: string;

	constructor(origin: string, token: string) {
		this.#origin = origin;
		this.token = token;
	}

	/** Finds the coding agent among the processes; undefined when there is none. */
	static of(pids: readonly number[]): HostileAgent | undefined {
		for (const pid of pids) {
			const environment = processFile(pid, "environ");
			const url = /(?:^|\0)ATELIER_MODEL_URL=([^\0]+)/.exec(environment)?.[1];
			const token = /(?:^|\0)ATELIER_MODEL_TOKEN=([^\0]+)/.exec(environment)?.[1];
			if (url !== undefined && token !== undefined) return new HostileAgent(new URL(url).origin, token);
		}
		return undefined;
	}

	/**
	 * Calls the model; resolves with the status of the answer after reading all of it, 0 when there was none or the
	 * connection was closed early.
	 */
	async call({
		wire = "anthropic",
		path = paths[wire],
		query = "",
		headers,
		body,
		...how
	}: HostileCall): Promise<number> {
		const leaving = new AbortController();
		const signal = how.signal ? AbortSignal.any([how.signal, leaving.signal]) : leaving.signal;
		try {
			const response = await fetch(`${this.#origin}/${wire}${path}${query}`, {
				method: "POST",
				headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json", ...headers },
				body: typeof body === "string" ? body : JSON.stringify(body),
				signal,
			});
			if (how.hangsUp) leaving.abort();
			await response.text();
			return response.status;
		} catch {
			return 0;
		}
	}

	/** Sends bytes on one connection; resolves with everything that is answered until the other side closes it. */
	async raw(bytes: string): Promise<string> {
		const socket = connect(Number(new URL(this.#origin).port), "127.0.0.1");
		socket.write(bytes);
		return text(socket).catch(() => "");
	}

	/** Makes a request as text for {@link raw}. */
	request(path: string, body: unknown, headers: Record<string, string> = {}): string {
		const content = JSON.stringify(body);
		const own = { host: new URL(this.#origin).host, "x-api-key": this.token, "content-length": content.length };
		const lines = Object.entries({ ...own, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
		return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${content}`;
	}
}
