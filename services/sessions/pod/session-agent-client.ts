/** Requests of the sessions service to a running pod: logs, conversation and diff over HTTP, messages over a WebSocket. */
import { bound } from "#shared/base/bounds.ts";
import { readBounded } from "#shared/base/bounded-read.ts";
import { deadline } from "#shared/base/clock.ts";
import { BadRequestError, type ServiceError, UpstreamError } from "#shared/base/errors.ts";
import { maxMessageBytes } from "#shared/bus/message-size.ts";
import { agentUrl } from "#shared/wire/pod/agent-url.ts";
import { traced, traceHeaders } from "#shared/telemetry/tracing/span.ts";
import { MessageSocket } from "./message-socket.ts";
import { answerIn, failureIn, type PodForm, refusalIn } from "./pod-answer.ts";
import type { PodAddress } from "./pod-address.ts";

const defaultTimeoutMs = 5_000;

/** The expectations of one kind of request about its answer. */
interface PodRequest<T> extends PodTerms {
	/** The form of the answer; another answer is an UpstreamError. */
	readonly form: PodForm<T>;
	readonly query?: Query;
}

interface PodTerms {
	/** The timeout in milliseconds; default 5,000. */
	readonly timeoutMs?: number;
	/**
	 * The errors for refusals by status, made from the pod's sentence and type; default: 400 becomes a BadRequestError,
	 * every other status an UpstreamError.
	 */
	readonly refusals?: Refusals;
}

/** The errors that refusals become, by HTTP status; `detail` is the pod's sentence. */
type Refusals = Readonly<Record<number, (detail: string, type: string) => ServiceError>>;

type Query = Readonly<Record<string, string>>;

const badRequest: Refusals = { 400: (detail) => new BadRequestError(detail) };

interface SessionAgentClientOptions {
	/** Most connections for messages; default 1,000. */
	readonly maxSockets?: number;
	/** The hosts beside loopback at which session agents may listen; default none. */
	readonly hosts?: readonly string[];
}

/** The connections of one process to pods. */
export class SessionAgentClient {
	readonly #maxSockets: number;
	readonly #hosts: readonly string[];
	/** The connections for messages, the one that was used last at the end. */
	readonly #sockets = new Map<string, MessageSocket>();

	constructor({ maxSockets = bound.podSockets, hosts = [] }: SessionAgentClientOptions = {}) {
		this.#maxSockets = maxSockets;
		this.#hosts = hosts;
	}

	/** Returns the pod's answer. @throws {UpstreamError} {BadRequestError}, and the errors in `asked.refusals`. */
	async get<T>(pod: PodAddress, path: string, asked: PodRequest<T>): Promise<T> {
		const url = agentUrl(pod.url, path, this.#hosts);
		for (const [name, value] of Object.entries(asked.query ?? {})) url.searchParams.set(name, value);
		return request<T>(pod, url, {}, asked);
	}

	/** Returns the pod's answer to a command. @throws {UpstreamError} {BadRequestError} {NotFoundError} {ConflictError} */
	async post<T>(pod: PodAddress, path: string, body: object, asked: PodRequest<T>): Promise<T> {
		return request<T>(pod, agentUrl(pod.url, path, this.#hosts), { method: "POST", body: JSON.stringify(body) }, asked);
	}

	/** Sends a message; resolves when the pod has it in its queue on disk. @throws {UpstreamError} */
	async send(pod: PodAddress, id: string, content: string): Promise<void> {
		await this.#socket(pod).send(id, content);
	}

	close(): void {
		for (const socket of this.#sockets.values()) socket.close();
		this.#sockets.clear();
	}

	#socket(pod: PodAddress): MessageSocket {
		const name = `${pod.sessionId}/${pod.generation}/${pod.url}`;
		const open = this.#sockets.get(name);
		if (!open && this.#sockets.size >= this.#maxSockets) this.#closeIdle();
		const socket: MessageSocket = open ?? new MessageSocket(pod, this.#hosts, () => this.#forget(name, socket));
		this.#sockets.delete(name);
		this.#sockets.set(name, socket);
		return socket;
	}

	/** Closes the connection that has been idle for longest. @throws {UpstreamError} when all have messages under way. */
	#closeIdle(): void {
		const idle = this.#sockets.values().find(({ isIdle }) => isIdle);
		if (!idle) throw new UpstreamError("Too many connections to session pods are open", "POD_SOCKETS");
		idle.close();
	}

	/** A connection that was replaced under its name meanwhile stays. */
	#forget(name: string, socket: MessageSocket): void {
		if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
	}
}

async function request<T>(
	{ key }: PodAddress,
	url: URL,
	init: RequestInit,
	{ form, timeoutMs = defaultTimeoutMs, refusals = {} }: PodRequest<T>,
): Promise<T> {
	const options = {
		headers: { authorization: `Bearer ${key}`, ...traceHeaders() },
		redirect: "error",
		signal: deadline(timeoutMs),
	} as const;
	const { method = "GET" } = init;
	const step = {
		name: `pod ${method} ${url.pathname}`,
		kind: "client",
		attributes: { "http.request.method": method },
	} as const;
	const response = await traced(step, fetch(url, { ...init, ...options }).catch(unreachable));
	const text = await boundedText(response).catch(unreachable);
	if (response.ok) return answerIn(text, form);
	const refusal = refusals[response.status] ?? badRequest[response.status];
	if (refusal) {
		const { detail, type } = refusalIn(text);
		throw refusal(detail, type);
	}
	throw new UpstreamError(`The session's pod answered ${response.status}${failureIn(text)}`, "POD_ANSWER");
}

function unreachable(cause: unknown): never {
	throw new UpstreamError("The session's pod cannot be reached", "POD_UNREACHABLE", { cause });
}

async function boundedText({ body }: Response): Promise<string> {
	const tooLarge = () => new Error("The answer is too large");
	return body ? (await readBounded(body, { maxBytes: maxMessageBytes, tooLarge })).toString("utf8") : "";
}
