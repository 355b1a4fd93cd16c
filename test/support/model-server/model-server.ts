/**
 * A model provider that follows a script and bills exactly. It offers all wire formats at the paths of the real
 * providers, so an agent may use it directly or through the model proxy.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { ModelAccess, ModelWire } from "#shared/wire/models/model-wire.ts";
import { noTokens } from "#shared/wire/models/token-counts.ts";
import type { Answer, Fault, Frame, Reply, Script, Wire } from "./answer.ts";
import { Bill, type BilledCall, defaultCounts } from "./bill.ts";
import { FrameWriter } from "./frame-writer.ts";
import { jsonOf, type ModelRequest } from "./model-request.ts";
import { anthropic } from "./wires/anthropic.ts";
import { gemini } from "./wires/gemini.ts";
import { openaiChat } from "./wires/openai-chat.ts";
import { openaiResponses } from "./wires/openai-responses.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../machine/loopback-server.ts";

export interface ModelServerOptions {
	script: Script;
	/** The key of callers. Default `sk-scripted-…` with a random end. */
	key?: string;
	/** The only listed model. Default `scripted-1`. */
	model?: string;
}

const wires: Record<ModelWire, Wire> = {
	"openai-chat": openaiChat,
	"openai-responses": openaiResponses,
	anthropic,
	gemini,
};

/** The time in milliseconds within which a connection that closes after an answer may not have read it. */
const soonMs = 2_000;
const maxBodyBytes = 33_554_432;
const maxStoredRequests = 1_000;

export class ModelServer implements AsyncDisposable {
	/** The newest answered call of each connection. */
	readonly #newest = new WeakMap<Socket, { call: BilledCall; at: number }>();
	/** All billed calls so far. */
	readonly billed = new Bill();
	/** The requests with a valid key, oldest first; at most 1,000. */
	readonly requests: ModelRequest[] = [];
	/** Requests that the script could not answer, e.g. because no offered tool fits. A test should find none. */
	readonly problems: string[] = [];
	readonly key: string;
	readonly model: string;
	readonly #script: Script;
	readonly #server: Server;
	readonly #ending = new AbortController();
	readonly #faults: Fault[] = [];
	#count = 0;

	private constructor({
		script,
		key = `sk-scripted-${crypto.randomUUID()}`,
		model = "scripted-1",
	}: ModelServerOptions) {
		this.#script = script;
		this.key = key;
		this.model = model;
		this.#server = createServer((request, response) => {
			response.on("error", () => {});
			this.#answer(request, response).catch((error: unknown) => {
				this.problems.push(String(error));
				response.destroy();
			});
		});
		this.#server.maxConnections = 256;
	}

	static async listen(options: ModelServerOptions): Promise<ModelServer> {
		const server = new ModelServer(options);
		await listenOnLoopback(server.#server);
		return server;
	}

	/** The endpoints by wire format, as in a model catalogue. */
	get endpoints(): Record<ModelWire, string> {
		const url = loopbackUrl(this.#server);
		return { "openai-chat": `${url}/v1`, "openai-responses": `${url}/v1`, anthropic: url, gemini: url };
	}

	/** Returns the access as in a launch document. */
	access(changes: Partial<ModelAccess> = {}): ModelAccess {
		const { endpoints, key, model } = this;
		return { provider: "scripted", location: "cloud", model, endpoints, key, context_window: 128_000, ...changes };
	}

	/** Resolves to the count of open connections. */
	connections(): Promise<number> {
		return new Promise((resolve, reject) => {
			this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
		});
	}

	/** Makes the next calls fail, one per fault, before the script is asked. */
	failNext(...faults: Fault[]): void {
		this.#faults.push(...faults);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await closeAtOnce(this.#server);
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? "/", "http://model");
		const wire = wireOf(url.pathname);
		const text = await textOf(request);
		if (!isKeyShown(request, url, this.key)) return refuse(response, wire, 401, "The key is wrong");
		if (request.method === "GET") return this.#list(url.pathname, response);
		if (!wire) return refuse(response, wire, 404, "There is nothing here");
		if (/count_?tokens$/i.test(url.pathname))
			return sendJson(response, 200, { input_tokens: 1_000, totalTokens: 1_000 });
		const body = jsonOf(JSON.parse(text));
		const asked: ModelRequest = { ...wires[wire].parse(body, url.pathname), wire, body, headers: request.headers };
		this.requests.push(asked);
		if (this.requests.length > maxStoredRequests) this.requests.shift();
		await this.#reply(asked, response);
	}

	async #reply(request: ModelRequest, response: ServerResponse): Promise<void> {
		const { wire, model } = request;
		const n = this.#count++;
		const answer = await this.#scripted(request);
		const { fault } = answer;
		if (fault?.kind === "status") {
			this.billed.calls.push({ wire, model, counts: { ...noTokens }, end: "refused" });
			const headers = fault.retryAfterS === undefined ? {} : { "retry-after": String(fault.retryAfterS) };
			const message = fault.message ?? `Scripted failure ${fault.status}`;
			return sendJson(response, fault.status, wires[wire].failure(fault.status, message), headers);
		}
		await this.#write(replyOf(answer, request, n), answer, response);
	}

	async #scripted(request: ModelRequest): Promise<Answer> {
		const fault = this.#faults.shift();
		try {
			return fault?.kind === "status" ? { fault } : { ...(await this.#script(request)), ...(fault && { fault }) };
		} catch (error) {
			this.problems.push(String(error));
			return { fault: { kind: "status", status: 400, message: String(error) } };
		}
	}

	async #write(reply: Reply, answer: Answer, response: ServerResponse): Promise<void> {
		const { wire, model, isStreaming } = reply.request;
		const frames = isStreaming ? wires[wire].stream(reply) : [wholeFrame(reply)];
		const call: BilledCall = { wire, model, counts: { ...noTokens }, end: "left" };
		this.billed.calls.push(call);
		const type = isStreaming ? "text/event-stream" : "application/json";
		const encoding = answer.isGzipped ? { "content-encoding": "gzip" } : {};
		const head = { "content-type": type, "x-request-id": reply.id, ...encoding };
		const { socket } = response;
		const writing = new FrameWriter(response, head, this.#ending.signal);
		// The answer is compressed in one piece.
		const sent = answer.isGzipped ? [joined(frames)] : frames;
		call.end = await writing.write(sent, answer.fault, (counts) => (call.counts = counts));
		if (socket) this.#doubtUnread(socket, call);
	}

	/**
	 * Marks an answer as possibly unread when its connection closes: a caller that has read an answer keeps the
	 * connection for its next call.
	 */
	#doubtUnread(socket: Socket, call: BilledCall): void {
		const isKnown = this.#newest.has(socket);
		this.#newest.set(socket, { call, at: performance.now() });
		if (isKnown) return;
		socket.once("close", () => {
			const newest = this.#newest.get(socket);
			if (newest && performance.now() - newest.at < soonMs) newest.call.mayBeUnread = true;
		});
	}

	#list(path: string, response: ServerResponse): void {
		const { model } = this;
		const entry = { id: model, object: "model", type: "model", display_name: model, name: `models/${model}` };
		const list = { object: "list", data: [entry], has_more: false, models: [entry] };
		sendJson(response, 200, /\/models\/./.test(path) ? entry : list);
	}
}

function replyOf(answer: Answer, request: ModelRequest, n: number): Reply {
	const { text = "", thought = "", calls = [], usage = {}, isSilent = false, isCut = false } = answer;
	return {
		id: `scripted${n}`,
		model: request.model,
		request,
		text,
		thought,
		calls: calls.map((one, index) => ({ ...one, id: `call_${n}_${index}` })),
		counts: { ...defaultCounts(n, request.wire), ...usage },
		isSilent,
		isCut,
	};
}

function wholeFrame(reply: Reply): Frame {
	const text = JSON.stringify(wires[reply.request.wire].whole(reply));
	return reply.isSilent ? { text } : { text, reported: reply.counts };
}

function joined(frames: readonly Frame[]): Frame {
	const reported = frames.findLast((frame) => frame.reported)?.reported;
	const text = gzipSync(frames.map((frame) => String(frame.text)).join(""));
	return { text, ...(reported && { reported }) };
}

function wireOf(path: string): ModelWire | undefined {
	if (path.endsWith("/chat/completions")) return "openai-chat";
	if (path.endsWith("/responses")) return "openai-responses";
	if (/\/v1\/messages(\/count_tokens)?$/.test(path)) return "anthropic";
	return /\/models\/[^/]+:\w+$/.test(path) ? "gemini" : undefined;
}

function isKeyShown({ headers }: IncomingMessage, url: URL, key: string): boolean {
	const shown = [
		headers.authorization?.replace(/^Bearer /i, ""),
		headers["x-api-key"],
		headers["x-goog-api-key"],
		url.searchParams.get("key"),
	];
	return shown.includes(key);
}

function refuse(response: ServerResponse, wire: ModelWire | undefined, status: number, message: string): void {
	sendJson(response, status, wires[wire ?? "openai-chat"].failure(status, message));
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
	const content = Buffer.from(JSON.stringify(body));
	response.writeHead(status, { "content-type": "application/json", "content-length": content.length, ...headers });
	response.end(content);
}

/** Reads a body. @throws {Error} when it is too large. */
async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > maxBodyBytes) throw new Error("The request is too large");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
