/** What the sessions service asks of a running pod: logs, conversation and diff over HTTP, messages over a WebSocket. */
import { deadline } from "#shared/clock.ts";
import { BadRequestError, ConflictError, NotFoundError, UpstreamError } from "#shared/errors.ts";
import { maxMessageBytes } from "#shared/bus/message-size.ts";
import { agentUrl } from "#shared/pod/agent-url.ts";
import { MessageSocket } from "./message-socket.ts";
import type { PodAddress } from "./pod-address.ts";

const requestMs = 5_000;
/** A diff of a large workspace takes git some time; whoever asks waits 8 s. */
const diffMs = 7_500;
const maxSockets = 1_000;

export class SessionAgentClient {
	readonly #sockets = new Map<string, MessageSocket>();

	/** The pod's JSON answer; `what` names it in errors. @throws {UpstreamError} {BadRequestError} */
	async get<T>(pod: PodAddress, path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
		const url = agentUrl(pod.url, path);
		for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
		return request<T>(pod, url, { signal: deadline(path.startsWith("/api/diff") ? diffMs : requestMs) });
	}

	/** The pod's JSON answer to a command. @throws {UpstreamError} {BadRequestError} {NotFoundError} {ConflictError} */
	async post<T>(pod: PodAddress, path: string, body: object): Promise<T> {
		const init = { method: "POST", body: JSON.stringify(body), signal: deadline(requestMs) };
		return request<T>(pod, agentUrl(pod.url, path), init);
	}

	/** Resolves when the pod has the message in its queue on disk. @throws {UpstreamError} */
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
		if (open) return open;
		if (this.#sockets.size >= maxSockets)
			throw new UpstreamError("Too many sessions are being spoken to", "POD_SOCKETS");
		const socket = new MessageSocket(pod, () => this.#sockets.delete(name));
		this.#sockets.set(name, socket);
		return socket;
	}
}

async function request<T>({ key }: PodAddress, url: URL, init: RequestInit): Promise<T> {
	const headers = { authorization: `Bearer ${key}` };
	const response = await fetch(url, { ...init, headers, redirect: "error" }).catch(unreachable);
	const text = await boundedText(response).catch(unreachable);
	if (response.ok) return JSON.parse(text) as T;
	const detail = detailOf(text);
	if (response.status === 400) throw new BadRequestError(detail);
	if (response.status === 404 && init.method === "POST") throw new NotFoundError(detail, "PERMISSION_NOT_FOUND");
	if (response.status === 409) throw new ConflictError(detail, "PERMISSION_ANSWERED");
	throw new UpstreamError(`The session's pod answered ${response.status}`, "POD_ANSWER");
}

function unreachable(cause: unknown): never {
	throw new UpstreamError("The session's pod cannot be reached", "POD_UNREACHABLE", { cause });
}

async function boundedText(response: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of response.body ?? []) {
		chunks.push(chunk);
		bytes += chunk.byteLength;
		if (bytes > maxMessageBytes) throw new Error("The answer is too large");
	}
	return Buffer.concat(chunks).toString("utf8");
}

function detailOf(text: string): string {
	try {
		const { detail } = JSON.parse(text) as { detail?: unknown };
		return typeof detail === "string" ? detail : "The session's pod refused the request";
	} catch {
		return "The session's pod refused the request";
	}
}
