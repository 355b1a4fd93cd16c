/**
 * The model proxy on loopback. Coding agents reach the session's model, and no other, through it with a token of this
 * launch. The proxy adds the provider's key, which is nowhere else, and reads the usage from the provider's own
 * response (docs/decisions/0011-the-model-proxy-reads-the-usage.md).
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelAccess, ModelTerms, ModelWire } from "#shared/wire/models/model-wire.ts";
import { CallExchange, type ExchangeDependencies } from "./call-exchange.ts";
import { CallerGuard } from "./caller-guard.ts";
import { modelList } from "./naming/model-list.ts";
import { OtherModels } from "./naming/other-models.ts";
import { ProviderLink } from "./provider/provider-link.ts";
import { errorBody, ProxyError } from "./proxy-error.ts";
import { defaultLimits, type ProxyLimits } from "./proxy-limits.ts";
import { proxyRoute, wireOf } from "./proxy-route.ts";
import { RequestBodies } from "./request-bodies.ts";

/** An import would load more (see `agent-server.ts`). */
const { createServer } = process.getBuiltinModule("node:http");

export interface ModelProxyDependencies
	extends Pick<ExchangeDependencies, "access" | "log" | "onCall" | "onBegun" | "isLimited" | "admit" | "watchCall"> {
	limits?: Partial<ProxyLimits>;
}

const maxConnections = 128;
const maxHeaderBytes = 32_768;

export class ModelProxy {
	/** The token that callers show in the place of the provider's key. */
	readonly token = `atelier-${randomBytes(24).toString("hex")}`;
	readonly #server: Server;
	readonly #guard = new CallerGuard(this.token);
	readonly #dependencies: ExchangeDependencies;
	readonly #underWay = new Set<Promise<void>>();
	readonly #closing = new AbortController();

	private constructor({ limits, ...session }: ModelProxyDependencies) {
		const { access, log } = session;
		const all = { ...defaultLimits, ...limits };
		this.#dependencies = {
			...session,
			link: new ProviderLink(all),
			bodies: new RequestBodies(all),
			limits: all,
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
	static async open(dependencies: ModelProxyDependencies): Promise<ModelProxy> {
		const proxy = new ModelProxy(dependencies);
		await new Promise<void>((resolve, reject) => {
			proxy.#server.once("error", reject);
			proxy.#server.listen(0, "127.0.0.1", resolve);
		});
		return proxy;
	}

	/** Returns the prefix that replaces the provider's endpoint; undefined for a format that it does not speak. */
	url(wire: ModelWire): string | undefined {
		return this.#dependencies.access.endpoints[wire] && `http://127.0.0.1:${this.#port}/${wire}`;
	}

	/** The access that the next call has. */
	get access(): ModelAccess {
		return this.#dependencies.access;
	}

	/**
	 * Makes further calls with another model; calls under way keep theirs.
	 * @returns False when the model belongs to another provider, whose key the proxy does not have.
	 */
	use(terms: ModelTerms): boolean {
		const { access, log } = this.#dependencies;
		if (terms.provider !== access.provider || terms.location !== access.location) return false;
		if (terms.model === access.model) return true;
		const { endpoints, key } = access;
		this.#dependencies.access = { ...terms, endpoints, key };
		this.#dependencies.otherModels = new OtherModels(terms.model, log);
		log.add("INFO", "model-proxy", `The session's model is "${terms.model}" from now on`);
		return true;
	}

	/** Interrupts the calls that are under way. Resolves when `onCall` has received all of them. */
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
		if (route.kind === "list") return sendJson(response, 200, modelList(route, this.#dependencies.access));
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
		const retry = known.retryAfterS === undefined ? {} : { "retry-after": String(known.retryAfterS) };
		// The rest of the request is not read.
		const headers = { connection: "close", ...retry };
		sendJson(response, known.status, errorBody(wireOf(url) ?? "openai-chat", known), headers);
	}
}

function sendJson(response: ServerResponse, status: number, value: object, headers: OutgoingHttpHeaders = {}): void {
	const body = Buffer.from(JSON.stringify(value));
	const own = { "content-type": "application/json", "content-length": body.length };
	response.writeHead(status, { ...own, ...headers }).end(body);
}
