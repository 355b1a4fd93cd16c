/**
 * The model calls of one session, wherever they come in. Each of them is sent to the session's model, and to no other, with the
 * provider's key; the usage is read from the provider's own response (docs/decisions/0011-the-model-proxy-reads-the-usage.md).
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ModelAccess, ModelTerms } from "#shared/wire/models/model-wire.ts";
import { CallExchange, type ExchangeDependencies } from "./call-exchange.ts";
import type { HeldBytes } from "./held-bytes.ts";
import { modelList } from "./naming/model-list.ts";
import { OtherModels } from "./naming/other-models.ts";
import { ProviderLink } from "./provider/provider-link.ts";
import { errorBody, ProxyError, refusalHeaders } from "./proxy-error.ts";
import { defaultLimits, type ProxyLimits } from "./proxy-limits.ts";
import { proxyRoute, wireOf } from "./proxy-route.ts";
import { RequestBodies } from "./request-bodies.ts";

export interface ModelCallsDependencies
	extends Pick<
		ExchangeDependencies,
		"access" | "log" | "onCall" | "onBegun" | "isLimited" | "admit" | "watchCall" | "isRelay"
	> {
	readonly limits?: Partial<ProxyLimits>;
	/** Counts the bytes of the bodies of several sessions; absent: only this one's are counted. */
	readonly held?: HeldBytes;
}

export class ModelCalls {
	readonly #dependencies: ExchangeDependencies;
	readonly #underWay = new Set<Promise<void>>();
	readonly #closing = new AbortController();

	constructor({ limits, held, ...session }: ModelCallsDependencies) {
		const { access, log } = session;
		const all = { ...defaultLimits, ...limits };
		this.#dependencies = {
			...session,
			link: new ProviderLink(all),
			bodies: new RequestBodies(all, held),
			limits: all,
			listening: { count: 0, closing: this.#closing.signal },
			otherModels: new OtherModels(access.model, log),
			refusesUsageRequest: false,
			unmetered: 0,
		};
		log.hide(access.key);
	}

	/** The access that the next call has. */
	get access(): ModelAccess {
		return this.#dependencies.access;
	}

	/**
	 * Makes further calls with another model; calls under way keep theirs.
	 * @returns False when the model belongs to another provider, whose key is not there.
	 */
	use(terms: ModelTerms): boolean {
		const { access, log } = this.#dependencies;
		if (terms.provider !== access.provider || terms.location !== access.location) return false;
		if (terms.model === access.model) return true;
		const { endpoints, key } = access;
		const { provider, location, model, context_window, prices } = terms;
		this.#dependencies.access = {
			provider,
			location,
			model,
			context_window,
			...(prices && { prices }),
			endpoints,
			key,
		};
		this.#dependencies.otherModels = new OtherModels(terms.model, log);
		log.add("INFO", "model-proxy", `The session's model is "${terms.model}" from now on`);
		return true;
	}

	/**
	 * Answers a request.
	 * @param url Its path and query behind the place at which the calls come in.
	 * @param check Throws {ProxyError} for a caller that may not call.
	 */
	take(request: IncomingMessage, response: ServerResponse, url: string, check: () => void): void {
		const answering = this.#answer(request, response, url, check)
			.catch((error: unknown) => this.#refuse(error, url, response))
			.finally(() => this.#underWay.delete(answering));
		this.#underWay.add(answering);
	}

	/** Interrupts the calls that are under way. Resolves when `onCall` has received all of them. */
	async close(): Promise<void> {
		this.#closing.abort();
		await Promise.all(this.#underWay);
		this.#dependencies.link.close();
	}

	async #answer(request: IncomingMessage, response: ServerResponse, url: string, check: () => void): Promise<void> {
		check();
		const route = proxyRoute(request.method ?? "", url);
		if (!route || this.#dependencies.access.endpoints[route.wire] === undefined) {
			throw new ProxyError(404, "The model proxy passes on calls of the model only");
		}
		if (this.#underWay.size >= this.#dependencies.limits.calls) {
			throw new ProxyError(429, "Too many calls at a time", { retryAfterS: 1 });
		}
		if (route.kind === "list") return sendJson(response, 200, modelList(route, this.#dependencies.access));
		await new CallExchange(this.#dependencies, route, request, response).run();
	}

	#refuse(error: unknown, url: string, response: ServerResponse): void {
		if (response.headersSent || response.destroyed) {
			response.destroy();
			return;
		}
		const { log } = this.#dependencies;
		const known = error instanceof ProxyError ? error : new ProxyError(500, "The model proxy has failed");
		if (known.status >= 500)
			log.add("WARNING", "model-proxy", error instanceof ProxyError ? known.message : String(error));
		// The rest of the request is not read.
		const headers = { connection: "close", ...refusalHeaders(known) };
		sendJson(response, known.status, errorBody(wireOf(url) ?? "openai-chat", known), headers);
	}
}

function sendJson(response: ServerResponse, status: number, value: object, headers: OutgoingHttpHeaders = {}): void {
	const body = Buffer.from(JSON.stringify(value));
	const own = { "content-type": "application/json", "content-length": body.length };
	response.writeHead(status, { ...own, ...headers }).end(body);
}
