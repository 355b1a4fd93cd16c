/**
 * The model proxy on loopback: coding agents reach the session's model through it, and no other, with a token of this
 * launch. The provider's key is put in here and is nowhere else; what was used is read here, from the provider's own words
 * (docs/decisions/0011-the-meter-asks-for-the-usage.md).
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelAccess, ModelWire } from "#shared/models/model-wire.ts";
import type { LogBuffer } from "../io/log-buffer.ts";
import { CallExchange, type ExchangeDependencies } from "./call-exchange.ts";
import { CallerGuard } from "./caller-guard.ts";
import type { AskingCall, CallUnderWay, MeteredCall } from "./metering/metered-call.ts";
import { modelList } from "./naming/model-list.ts";
import { OtherModels } from "./naming/other-models.ts";
import { ProviderLink } from "./provider/provider-link.ts";
import { errorBody, ProxyError } from "./proxy-error.ts";
import { defaultLimits, type ProxyLimits } from "./proxy-limits.ts";
import { proxyRoute, wireOf } from "./proxy-route.ts";
import { RequestBodies } from "./request-bodies.ts";
import { type WatchCall, watchNothing } from "./provider/watched-call.ts";

/** Not by an import (see `agent-server.ts`). */
const { createServer } = process.getBuiltinModule("node:http");

export interface ModelProxyOptions {
	access: ModelAccess;
	/** Told once of each call that was sent to the provider, before its caller learns that it is over. */
	onCall: (call: MeteredCall) => void;
	/** Told of what a call uses before its end is known; `onCall` follows. One that a budget pays is sent afterwards. */
	onBegun?: (call: CallUnderWay) => Promise<void>;
	/**
	 * Whether a budget applies: then calls must keep to terms (`terms/`), and what their provider does not tell is
	 * estimated. Default: none does.
	 */
	isLimited?: () => boolean;
	/** Asked before each call; a sentence refuses it. The signal aborts when its caller has left. Default: all are admitted. */
	admit?: (call: AskingCall, leaving: AbortSignal) => Promise<string | undefined>;
	/** Default: nobody asks how calls end. */
	watchCall?: WatchCall;
	log: LogBuffer;
	limits?: Partial<ProxyLimits>;
}

const maxConnections = 128;
const maxHeaderBytes = 32_768;

export class ModelProxy {
	/** What callers show in place of the provider's key. */
	readonly token = `atelier-${randomBytes(24).toString("hex")}`;
	readonly #server: Server;
	readonly #guard = new CallerGuard(this.token);
	readonly #dependencies: ExchangeDependencies;
	readonly #underWay = new Set<Promise<void>>();

	readonly #closing = new AbortController();

	private constructor(options: ModelProxyOptions) {
		const {
			access,
			onCall,
			onBegun = () => Promise.resolve(),
			isLimited = () => false,
			admit = admitAll,
			watchCall = watchNothing,
			log,
		} = options;
		const all = { ...defaultLimits, ...options.limits };
		const link = new ProviderLink(all);
		const bodies = new RequestBodies(all);
		this.#dependencies = {
			access,
			link,
			bodies,
			limits: all,
			log,
			onCall,
			onBegun,
			isLimited,
			admit,
			watchCall,
			listening: { count: 0, closing: this.#closing.signal },
			otherModels: new OtherModels(access.model, log),
			refusesUsageRequest: false,
			unmetered: 0,
		};
		log.hide(access.key);
		log.hide(this.token);
		this.#server = createServer({
			headersTimeout: 10_000,
			requestTimeout: 60_000,
			keepAliveTimeout: 30_000,
			maxHeaderSize: maxHeaderBytes,
		});
		this.#server.maxConnections = maxConnections;
		this.#server.on("request", (request, response) => this.#take(request, response));
	}

	/** Listens on a free port of loopback. */
	static async open(options: ModelProxyOptions): Promise<ModelProxy> {
		const proxy = new ModelProxy(options);
		await new Promise<void>((resolve, reject) => {
			proxy.#server.once("error", reject);
			proxy.#server.listen(0, "127.0.0.1", resolve);
		});
		return proxy;
	}

	/** Prefix that takes the place of the provider's endpoint; undefined when the provider does not speak this format. */
	url(wire: ModelWire): string | undefined {
		return this.#dependencies.access.endpoints[wire] && `http://127.0.0.1:${this.#port}/${wire}`;
	}

	/** Breaks off what is under way; resolves when `onCall` has heard of all of it. */
	async close(): Promise<void> {
		this.#closing.abort();
		this.#server.close();
		this.#server.closeAllConnections();
		await Promise.all(this.#underWay);
		this.#dependencies.link.close();
	}

	get #port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	#take(request: IncomingMessage, response: ServerResponse): void {
		const answering = this.#answer(request, response)
			.catch((error: unknown) => this.#refuse(error, request, response))
			.finally(() => this.#underWay.delete(answering));
		this.#underWay.add(answering);
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = "", url = "" } = request;
		this.#guard.check(request, this.#port);
		const route = proxyRoute(method, url);
		if (!route || this.#dependencies.access.endpoints[route.wire] === undefined) {
			throw new ProxyError(404, "The model proxy passes on calls of the model only");
		}
		if (this.#underWay.size >= this.#dependencies.limits.calls) {
			throw new ProxyError(429, "Too many calls at a time", { retryAfterS: 1 });
		}
		if (route.kind === "list") return sendJson(response, modelList(route, this.#dependencies.access));
		await new CallExchange(this.#dependencies, route, request, response).run();
	}

	#refuse(error: unknown, { url = "" }: IncomingMessage, response: ServerResponse): void {
		if (response.headersSent || response.destroyed) {
			response.destroy();
			return;
		}
		const { log } = this.#dependencies;
		const known = error instanceof ProxyError ? error : new ProxyError(500, "The model proxy has failed");
		if (known.status >= 500)
			log.add("WARNING", "model-proxy", error instanceof ProxyError ? known.message : String(error));
		const body = Buffer.from(JSON.stringify(errorBody(wireOf(url) ?? "openai-chat", known)));
		const retry = known.retryAfterS === undefined ? {} : { "retry-after": String(known.retryAfterS) };
		// What is left of the request is not read.
		response.writeHead(known.status, {
			"content-type": "application/json",
			"content-length": body.length,
			connection: "close",
			...retry,
		});
		response.end(body);
	}
}

function admitAll(): Promise<undefined> {
	return Promise.resolve(undefined);
}

function sendJson(response: ServerResponse, value: object): void {
	const body = Buffer.from(JSON.stringify(value));
	response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
}
