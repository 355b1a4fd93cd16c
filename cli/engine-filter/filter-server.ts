/**
 * Stands before the socket of a container engine, which makes whoever has it root on the machine. It passes on the calls that a
 * platform needs for its own containers (engine-calls.ts, container-rules.ts) and answers 403 to everything else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { readBounded } from "#shared/base/bounded-read.ts";
import { after } from "#shared/base/clock.ts";
import { oneLine } from "#shared/base/one-line.ts";
import { type FilterStatement, filterStatementPath } from "#shared/wire/engine/filter-statement.ts";
import { containerRule, type FilteredPlatform } from "./container-rules.ts";
import { callEngine, inspected } from "./engine-call.ts";
import { type PermittedCall, permittedCall, targetOf, version } from "./engine-calls.ts";
import { ForbiddenValue } from "./json-rules.ts";
import { strictJson } from "./strict-json.ts";

const maxBodyBytes = 262_144;
/** The most connections, of which the followers of events keep one each. */
const maxConnections = 256;
const maxUrl = 200;
const mib = 1_048_576;
const jsonHeaders = { "content-type": "application/json", connection: "close" };

/** The sockets and the platform of a filter. */
export interface FilterOptions {
	/** The engine's own socket. */
	readonly engine: string;
	readonly platform: FilteredPlatform;
	/** Receives a sentence about each refused call. */
	readonly onRefused?: (sentence: string) => void;
	/** The longest silence of the engine or of the platform in an answer, in milliseconds; default 2 minutes. */
	readonly idleMs?: number;
	/** The time of a request until it is whole, in milliseconds; default 10 s. */
	readonly requestMs?: number;
	/** The time that calls have to end when the filter ends, in milliseconds; default 10 s. */
	readonly endMs?: number;
}

interface WithBody {
	readonly method: string;
	readonly body: string;
}

/** A call is refused with a status of HTTP. */
class Refusal extends Error {
	override readonly name = "Refusal";
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** One filter. */
export class EngineFilter {
	/** Listens as soon as the owner tells it where. */
	readonly server: Server;
	readonly #options: FilterOptions;
	readonly #idleMs: number;
	/** Ends what would last as long as containers do. */
	readonly #ending = new AbortController();

	constructor(options: FilterOptions) {
		const { idleMs = 120_000, requestMs = 10_000 } = options;
		this.#options = options;
		this.#idleMs = idleMs;
		this.server = createServer({
			requestTimeout: requestMs,
			headersTimeout: requestMs,
			keepAliveTimeout: 1,
			connectionsCheckingInterval: Math.min(requestMs, 1_000),
		});
		this.server.maxConnections = maxConnections;
		// The filter and the engine can never disagree about where a second request begins.
		this.server.maxRequestsPerSocket = 1;
		this.server.on("request", (request, response) => void this.#answer(request, response));
	}

	/** Takes no more calls and resolves when those that are being answered have ended, or their time is over. */
	async close(): Promise<void> {
		const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
		this.#ending.abort();
		const timer = after(this.#options.endMs ?? 10_000, () => this.server.closeAllConnections());
		await closed;
		timer.cancel();
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = "", url = "" } = request;
		const gone = new AbortController();
		response.on("close", () => gone.abort());
		try {
			refuseOtherForms(request);
			if (method === "GET" && url === `${version}${filterStatementPath}`) this.#state(response);
			else await this.#pass(await this.#permitted(request), response, gone.signal);
		} catch (error) {
			// Nobody is there who could read an answer.
			if (response.destroyed) return;
			const refusal = refusalOf(error);
			this.#tell(
				refusal,
				error instanceof Refusal ? refusal.message : `${refusal.message}: ${method} ${oneLine(url, maxUrl)}`,
			);
			refuse(response, refusal);
		}
	}

	/** That a container is not there is an answer, and an end of the filter is no refusal. */
	#tell({ status }: Refusal, sentence: string): void {
		if (status !== 404 && !this.#ending.signal.aborted) this.#options.onRefused?.(sentence);
	}

	/** Returns the call as it may be passed on. @throws {Refusal} {ForbiddenValue} {SyntaxError} */
	async #permitted(request: IncomingMessage): Promise<PermittedCall & WithBody> {
		const { method = "", url = "" } = request;
		const { platform } = this.#options;
		const call = permittedCall(method, url, platform);
		if (!call) throw new Refusal(403, `The filter does not let ${method} ${oneLine(url, maxUrl)} through`);
		return { ...call, method, body: bodyFor(call, await bodyOf(request), platform) };
	}

	/** Says for which platform the filter is. Everybody who may use the socket may know it, and the engine is not asked. */
	#state(response: ServerResponse): void {
		const { installation, dataDir, images, owner, maxMemory } = this.#options.platform;
		const max_memory_mb = maxMemory / mib;
		const statement: FilterStatement = { installation, data_dir: dataDir, images, owner, max_memory_mb };
		response.writeHead(200, jsonHeaders).end(JSON.stringify(statement));
	}

	/** Sends the call and passes the answer back, also one that does not end. */
	async #pass(call: PermittedCall & WithBody, response: ServerResponse, gone: AbortSignal): Promise<void> {
		const { method, body } = call;
		const { engine: socketPath } = this.#options;
		const signal = call.isLasting ? AbortSignal.any([gone, this.#ending.signal]) : gone;
		const idleMs = this.#idleMs + call.waits * 1_000;
		response.setTimeout(idleMs, () => response.destroy());
		const target = targetOf(call, await this.#ownId(call, signal));
		const answer = await callEngine({ socketPath, method, target, body, idleMs, signal });
		const type = answer.headers["content-type"];
		response.writeHead(answer.statusCode ?? 502, {
			connection: "close",
			...(type !== undefined && { "content-type": type }),
		});
		response.flushHeaders();
		await pipeline(answer, response);
	}

	/** Returns the id of the container that a call is about. The name alone does not say whose it is. */
	async #ownId({ container }: PermittedCall, signal: AbortSignal): Promise<string | undefined> {
		if (container === undefined) return undefined;
		const { engine, platform } = this.#options;
		const found = await inspected(engine, container, signal);
		if (!found) throw new Refusal(404, `No such container: ${container}`);
		if (found.installation !== platform.installation)
			throw new ForbiddenValue("Labels.atelier.installation of the container");
		return found.id;
	}
}

/** The engine would get another request than the filter understood, if it were asked in these ways. */
function refuseOtherForms({ headers, httpVersion }: IncomingMessage): void {
	if (httpVersion !== "1.1") throw new ForbiddenValue("the version of HTTP");
	for (const name of ["upgrade", "transfer-encoding", "content-encoding", "expect", "trailer"])
		if (headers[name] !== undefined) throw new ForbiddenValue(`the header ${name}`);
	if (Number(headers["content-length"] ?? 0) > maxBodyBytes) throw tooLarge();
}

function tooLarge(): Refusal {
	return new Refusal(413, `A request has at most ${maxBodyBytes} bytes`);
}

function bodyOf(request: IncomingMessage): Promise<Buffer> {
	return readBounded(request, { maxBytes: maxBodyBytes, tooLarge });
}

function bodyFor({ creates }: PermittedCall, body: Buffer, platform: FilteredPlatform): string {
	if (creates === undefined) {
		if (body.length > 0) throw new ForbiddenValue("the body");
		return "";
	}
	const rule = containerRule(creates, platform);
	if (!rule) throw new ForbiddenValue("the parameter name");
	return JSON.stringify(rule(strictJson(body), ""));
}

function refusalOf(error: unknown): Refusal {
	if (error instanceof Refusal) return error;
	if (error instanceof ForbiddenValue) return new Refusal(403, error.message);
	if (error instanceof SyntaxError) return new Refusal(400, "The request is no JSON");
	return new Refusal(502, "The container engine does not answer");
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
	if (response.headersSent) response.destroy();
	else response.writeHead(status, jsonHeaders).end(JSON.stringify({ message }));
}
