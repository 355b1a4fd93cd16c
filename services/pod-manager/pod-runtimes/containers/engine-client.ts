/**
 * Calls of a Docker-compatible engine over its Unix socket (Docker Engine API 1.41, which Docker 20.10 and Podman 4 serve).
 * The one who has this socket is root on the machine, unless the engine is rootless.
 */
import { Agent, type ClientRequestArgs, type IncomingMessage, request as httpRequest } from "node:http";
import { readBounded } from "#shared/base/bounded-read.ts";
import { deadline } from "#shared/base/clock.ts";
import { oneLine } from "#shared/base/one-line.ts";

const apiVersion = "v1.41";
const maxSockets = 16;
/** The time of a call that only reads, and of one that changes something, in milliseconds. */
const readMs = 2_000;
const changeMs = 8_000;
/** The most bytes of an answer: a list of 2,000 containers has about 4 MB. */
const maxAnswerBytes = 16_777_216;
const maxMessage = 500;

/** One call. Answers that `statuses` does not name are refusals. */
export interface EngineCall {
	readonly method: "GET" | "POST" | "DELETE";
	/** The path without the version, with a leading slash. */
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	readonly body?: object;
	/** Statuses beside 2xx that are no failure. */
	readonly accepts?: readonly number[];
	readonly signal?: AbortSignal | undefined;
	/** The longest time of the call in milliseconds; default: 2 s for a reading, 8 s for a change. */
	readonly withinMs?: number;
	/** Whether it has a connection of its own, because it is answered when a container has ended; others do not wait for it then. */
	readonly isLasting?: boolean;
}

/** An answer of the engine. */
export interface EngineAnswer {
	readonly status: number;
	/** The parsed JSON, or the text when it is none; undefined without a body. */
	readonly body: unknown;
}

/** 502 and 504 (RFC 9110, sections 15.6.3 and 15.6.5). */
const gatewayFailures: ReadonlySet<number> = new Set([502, 504]);

/** The engine has refused a call; the message is its own sentence. */
export class EngineRefusal extends Error {
	override readonly name = "EngineRefusal";
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** The engine could not be asked, or did not answer in time. */
export class EngineAway extends Error {
	override readonly name = "EngineAway";
	/** The code of the failed connection, e.g. `ENOENT` or `EACCES`; undefined for an answer that came too late. */
	readonly reason: string | undefined;

	constructor(message: string, cause?: unknown) {
		super(message, { cause });
		this.reason = (cause as NodeJS.ErrnoException | undefined)?.code;
	}
}

/** Owns the connections to one engine. */
export class EngineClient {
	readonly #socketPath: string;
	readonly #agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: 4 });
	/** Ends lasting calls, whose connections are not the agent's. */
	readonly #closing = new AbortController();

	/** @param socketPath The engine's Unix socket, or the filter's before it. */
	constructor(socketPath: string) {
		this.#socketPath = socketPath;
	}

	/** @throws {EngineRefusal} for a status that is not accepted; {EngineAway} without an answer. */
	async call(call: EngineCall): Promise<EngineAnswer> {
		const text = call.body && JSON.stringify(call.body);
		const answer = await this.#send(this.#optionsOf(call, text), text);
		const status = answer.statusCode ?? 0;
		const body = await this.#bodyOf(answer);
		if (status >= 300 && !call.accepts?.includes(status)) throw this.#refusal(status, body);
		return { status, body };
	}

	#optionsOf({ method, path, query, signal, isLasting, withinMs }: EngineCall, text?: string): ClientRequestArgs {
		const usualMs = method === "GET" ? readMs : changeMs;
		const parents = [signal, isLasting ? this.#closing.signal : undefined].filter((one) => one !== undefined);
		return {
			method,
			path: pathOf(path, query),
			...(isLasting && { agent: false }),
			signal: deadline(withinMs ?? usualMs, AbortSignal.any(parents)),
			headers:
				text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) },
		};
	}

	/**
	 * Returns the bytes of an answer that is no JSON, such as a log.
	 * @throws as {@link call} does.
	 */
	async read(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Buffer> {
		const answer = await this.#send({ method: "GET", path: pathOf(path, query), signal: deadline(readMs, signal) });
		const bytes = await this.#bytesOf(answer);
		const status = answer.statusCode ?? 0;
		if (status < 300) return bytes;
		throw this.#refusal(status, parsed(bytes.toString()));
	}

	/**
	 * Opens an answer that does not end, such as the events. The caller reads or destroys it.
	 * @param signal Ends it; its reading throws then. @throws as {@link call} does.
	 */
	async stream(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
		// A stream keeps its connection for itself.
		const answer = await this.#send({ method: "GET", path: pathOf(path, query), signal, agent: false });
		const status = answer.statusCode ?? 0;
		if (status < 300) return answer;
		throw this.#refusal(status, await this.#bodyOf(answer));
	}

	/** An engine never says that a gateway failed; its filter does, for an engine that does not answer it. */
	#refusal(status: number, body: unknown): EngineRefusal | EngineAway {
		const said = sentenceOf(body, status);
		if (!gatewayFailures.has(status)) return new EngineRefusal(status, said);
		return new EngineAway(`The filter at "${this.#socketPath}" does not reach its container engine: ${said}`);
	}

	close(): void {
		this.#closing.abort();
		this.#agent.destroy();
	}

	#send(options: ClientRequestArgs, text?: string): Promise<IncomingMessage> {
		return new Promise((resolve, reject) => {
			const outgoing = httpRequest({ socketPath: this.#socketPath, agent: this.#agent, ...options }, resolve);
			outgoing.on("error", (cause) => reject(this.#away(cause)));
			outgoing.end(text);
		});
	}

	async #bodyOf(answer: IncomingMessage): Promise<unknown> {
		const bytes = await this.#bytesOf(answer);
		return bytes.length === 0 ? undefined : parsed(bytes.toString());
	}

	#bytesOf(answer: IncomingMessage): Promise<Buffer> {
		const tooLarge = () => new EngineAway(`The engine answered more than ${maxAnswerBytes} bytes`);
		return readBounded(answer, { maxBytes: maxAnswerBytes, tooLarge }).catch((cause: unknown) => {
			throw cause instanceof EngineAway ? cause : this.#away(cause);
		});
	}

	#away(cause: unknown): EngineAway {
		const reason = cause instanceof Error ? oneLine(cause.message, maxMessage) : "no reason given";
		return new EngineAway(`The container engine at "${this.#socketPath}" does not answer: ${reason}`, cause);
	}
}

function pathOf(path: string, query: Readonly<Record<string, string>> = {}): string {
	const search = new URLSearchParams(query).toString();
	return `/${apiVersion}${path}${search === "" ? "" : `?${search}`}`;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** Docker and Podman both answer `{"message": …}`. */
function sentenceOf(body: unknown, status: number): string {
	const said = body instanceof Object && "message" in body ? body.message : body;
	return typeof said === "string" ? oneLine(said, maxMessage) : `The container engine answered ${status}`;
}
