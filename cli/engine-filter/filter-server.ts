/**
 * Stands before the socket of a container engine, which makes whoever has it root on the machine. It passes on the calls that a
 * platform needs for its own containers (engine-calls.ts, container-rules.ts) and answers 403 to everything else.
 */
import {
	createServer,
	type IncomingMessage,
	request as httpRequest,
	type Server,
	type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream/promises";
import { readBounded } from "#shared/base/bounded-read.ts";
import { containerRule, type FilteredPlatform, requestOf } from "./container-rules.ts";
import { permittedCall } from "./engine-calls.ts";
import { ForbiddenValue } from "./json-rules.ts";

const maxBodyBytes = 262_144;
/** A description of a container, which its labels and mounts make long. */
const maxInspectedBytes = 4_194_304;
/** The most connections, of which the followers of events keep one each. */
const maxConnections = 256;

/** The sockets and the platform of a filter. */
export interface FilterOptions {
	/** The engine's own socket. */
	readonly engine: string;
	readonly platform: FilteredPlatform;
	/** Receives a sentence about each refused call. */
	readonly onRefused?: (sentence: string) => void;
}

class Refusal extends Error {
	override readonly name = "Refusal";
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** Returns the server, which does not listen yet. */
export function engineFilter(options: FilterOptions): Server {
	const server = createServer({ requestTimeout: 15_000, headersTimeout: 10_000, keepAliveTimeout: 5_000 });
	server.maxConnections = maxConnections;
	server.on("request", (request, response) => void answer(options, request, response));
	// Node ends the connection of a request that asks for another protocol, because nothing listens for it.
	return server;
}

async function answer(options: FilterOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
	try {
		const { method = "", url = "" } = request;
		const call = permittedCall(method, url, options.platform.installation);
		if (!call) throw new Refusal(403, `The filter does not let ${method} ${url.slice(0, 200)} through`);
		const body = await bodyOf(request);
		if (call.about !== undefined) await refuseOthers(options, call.about);
		const passed = call.creates === undefined ? nothing(body) : created(call.creates, body, options.platform);
		await pass(options.engine, { method, target: call.target, body: passed }, response);
	} catch (error) {
		const refusal = refusalOf(error);
		options.onRefused?.(refusal.message);
		if (response.headersSent) response.destroy();
		else
			response
				.writeHead(refusal.status, { "content-type": "application/json" })
				.end(JSON.stringify({ message: refusal.message }));
	}
}

/** Another platform may use the engine too. A container that is not there is the engine's to say. */
async function refuseOthers({ engine, platform }: FilterOptions, name: string): Promise<void> {
	const answer = await ask(engine, { method: "GET", target: `/v1.41/containers/${name}/json?size=false`, body: "" });
	const tooLarge = () => new Refusal(502, "The container engine answered too much");
	const inspected = await readBounded(answer, { maxBytes: maxInspectedBytes, tooLarge });
	if (answer.statusCode === 404) return;
	const labels: unknown = Object(Object(JSON.parse(inspected.toString("utf8"))).Config).Labels;
	if (Object(labels)["atelier.installation"] === platform.installation) return;
	throw new Refusal(403, `The container "${name}" is not one of this platform`);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
	const tooLarge = () => new Refusal(413, `A request has at most ${maxBodyBytes} bytes`);
	return readBounded(request, { maxBytes: maxBodyBytes, tooLarge });
}

function nothing(body: Buffer): string {
	if (body.length > 0) throw new Refusal(403, "The filter lets no body through with this call");
	return "";
}

function created(name: string, body: Buffer, platform: FilteredPlatform): string {
	const rule = containerRule(name, platform);
	if (!rule) throw new Refusal(403, "The filter does not let a container with this name be created");
	return JSON.stringify(rule(requestOf(body), ""));
}

function refusalOf(error: unknown): Refusal {
	if (error instanceof Refusal) return error;
	if (error instanceof ForbiddenValue) return new Refusal(403, error.message);
	if (error instanceof SyntaxError) return new Refusal(400, "The request is no JSON");
	return new Refusal(502, "The container engine does not answer");
}

/** Sends the call and passes the answer back, also one that does not end. No header of the request is passed on. */
async function pass(socketPath: string, { method, target, body }: PassedCall, response: ServerResponse): Promise<void> {
	const leaving = new AbortController();
	response.on("close", () => leaving.abort());
	const engine = await ask(socketPath, { method, target, body }, leaving.signal);
	const type = engine.headers["content-type"];
	response.writeHead(engine.statusCode ?? 502, type === undefined ? {} : { "content-type": type });
	response.flushHeaders();
	await pipeline(engine, response);
}

interface PassedCall {
	readonly method: string;
	readonly target: string;
	readonly body: string;
}

function ask(socketPath: string, { method, target, body }: PassedCall, signal?: AbortSignal): Promise<IncomingMessage> {
	const headers = body === "" ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
	return new Promise((resolve, reject) => {
		const options = { socketPath, method, path: target, headers, agent: false as const, ...(signal && { signal }) };
		const outgoing = httpRequest(options, resolve);
		outgoing.on("error", reject);
		outgoing.end(body);
	});
}
