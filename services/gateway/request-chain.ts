/**
 * The steps of a request, in this order: Host and Origin, route, authentication, limits, body, parameters, call,
 * answer. Each step returns what the next one needs, or throws. Nothing costly happens before authentication.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnyAction } from "#shared/contracts/contract.ts";
import type { Principal } from "#shared/base/principal.ts";
import { type Caller, callForText, type Meta } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { monotonic, now } from "#shared/base/clock.ts";
import { TimeoutError, UnavailableError } from "#shared/base/errors.ts";
import type { RawHandler } from "#host/platform.ts";
import { TimeLimits } from "#shared/base/concurrency/time-limits.ts";
import type { ActionRoute } from "./routes/action-route.ts";
import { type Answer, send } from "./http/answer.ts";
import { type Authenticator, type Claim, namedSession, type PathParams } from "./callers/authenticate.ts";
import { bearerToken } from "./callers/bearer-token.ts";
import type { BrowserMarks } from "./callers/browser-marks.ts";
import { corsHeaders, isPreflight, preflightAnswer } from "./http/cors.ts";
import { failureAnswer, InvalidRequestError, unforeseen } from "./http/http-errors.ts";
import { hasBody, type JsonObject, readJsonBody, readRawBody, refuseBody } from "./http/json-body.ts";
import type { BrowserLogin } from "./callers/identity-provider.ts";
import { deleteOnce } from "./keyed-deletion.ts";
import { repeatKeyed } from "./keyed-repetition.ts";
import { loginAnswer } from "./callers/login-answer.ts";
import { stripIdentityHeaders } from "./callers/identity-headers.ts";
import { messageOf, type RefusalNotes } from "./callers/refusal-notes.ts";
import type { StandingWatch } from "./callers/standing-watch.ts";
import { type BegunRequest, judged, type RequestLimits } from "./callers/request-limits.ts";
import type { OriginGuard } from "#shared/net/http/origin-guard.ts";
import { requestIdOf } from "./http/request-id.ts";
import { RequestPace } from "./callers/request-pace.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import type { RouteTable } from "./routes/route-table.ts";
import { inSpan, type Span, type Step } from "#shared/telemetry/tracing/span.ts";
import type { Tracer } from "#shared/telemetry/tracing/tracer.ts";
import { forwardedFor, UnsignedLimit } from "./callers/unsigned-limit.ts";
import { warningHeaders } from "./routes/warning-headers.ts";
import type { RequestParts } from "./routes/request-params.ts";
import { successAnswer } from "./routes/success-answer.ts";

interface RequestChainDependencies {
	readonly guard: Pick<OriginGuard, "check">;
	readonly routes: RouteTable;
	readonly authenticator: Authenticator;
	readonly limits: Pick<RequestLimits, "count" | "begin">;
	/** Says whose requests have their turns together; default: those of each caller. */
	readonly keyOf?: (principal: Principal) => string;
	readonly watch: Pick<StandingWatch, "add">;
	/** Learns of requests that a known person may not make. */
	readonly refusals?: Pick<RefusalNotes, "note"> | undefined;
	readonly marks: Pick<BrowserMarks, "read" | "mark">;
	/** The login of browsers; absent when the identity has none. */
	readonly login?: BrowserLogin | undefined;
	/** Raw handlers by the name of their action. */
	readonly rawHandlers: ReadonlyMap<string, RawHandler>;
	/** Returns the bus; undefined until it is connected. */
	readonly bus: () => Caller | undefined;
	/** Begins a trace for each request; absent when traces are off. */
	readonly tracer?: Pick<Tracer, "accept"> | undefined;
	readonly metrics: Pick<RequestMetrics, "answered">;
	/** Receives every unexpected error. */
	readonly report: (error: unknown, requestId: string) => void;
}

/** The longest time from the end of a request's headers to its answer, in milliseconds, whatever the action allows. */
const overallMs = 10_000;

/** A caller is authenticated again when its body came later than this, in milliseconds: it may have lost its access. */
const knownMs = 2_000;

const maxValidator = 1_000;

const keyForm = /^[\w-]{1,64}$/;

interface Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly id: string;
	/** The beginning and the time limit of the request on the monotonic clock. */
	readonly since: number;
	readonly end: number;
	/** Headers of every answer to the request: alternating names and values. */
	readonly headers: string[];
	readonly span?: Span | undefined;
	route?: ActionRoute;
	path?: PathParams;
	/** The sender, as soon as the credential says who it is. */
	sender?: Principal;
}

/** One chain serves all connections of a gateway. */
export class RequestChain {
	readonly #dependencies: RequestChainDependencies;
	readonly #limits = new TimeLimits();
	readonly #pace: RequestPace;
	readonly #unsigned = new UnsignedLimit();

	constructor(dependencies: RequestChainDependencies) {
		this.#dependencies = dependencies;
		this.#pace = new RequestPace(dependencies.keyOf);
	}

	/** Answers a request, or passes it to a raw handler; never rejects. */
	async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const id = requestIdOf(request);
		const since = monotonic();
		const span = this.#dependencies.tracer?.accept(request.headers["traceparent"]);
		const exchange: Exchange = { request, response, id, since, end: since + overallMs, headers: [], span };
		const bound = this.#limits.begin(overallMs, () =>
			this.#refuse(exchange, new TimeoutError("The answer took too long")),
		);
		try {
			await inSpan(span, () => this.#serve(exchange));
		} catch (error) {
			this.#refuse(exchange, error);
		} finally {
			bound.cancel();
		}
	}

	async #serve(exchange: Exchange): Promise<void> {
		const { request, headers } = exchange;
		const { method = "", url = "" } = request;
		const pageElsewhere = this.#dependencies.guard.check(request.headers, url);
		if (pageElsewhere !== undefined) headers.push(...corsHeaders(pageElsewhere));
		if (pageElsewhere !== undefined && isPreflight(request)) return this.#answer(exchange, preflightAnswer);

		const { login } = this.#dependencies;
		const entered = login && loginAnswer(request, login);
		if (entered) return this.#answer(exchange, entered);

		const match = this.#dependencies.routes.find(method, url);
		if (match.target.kind === "page") return this.#answer(exchange, await match.target.answer(request.headers));

		const route = match.target;
		exchange.route = route;
		exchange.path = match.path;
		const { action } = route;
		const claim = claimOf(request, match.path, action);
		const knownAt = monotonic();
		const { authenticator, limits } = this.#dependencies;
		const identified = (sender: Principal): void => {
			exchange.sender = sender;
			limits.count(sender);
		};
		const principal = await authenticator.authenticate(claim, action, { identified });
		stripIdentityHeaders(request.headers);
		if (action.produces === "text/event-stream") {
			tellIgnored(exchange, route, { path: match.path, query: match.query, body: {} });
			return this.#handOver(exchange, route, principal, claim);
		}

		const begun = this.#begin(exchange, principal, route, match.path);
		try {
			const early = await readUnsigned(exchange, route, begun);
			await this.#pace.run(principal, async () => {
				const body = early ?? (await readBody(exchange, route, begun));
				const present = await this.#confirmed(exchange, principal, claim, knownAt);
				begun.work();
				const parts = { path: match.path, query: match.query, body };
				const warnings = tellIgnored(exchange, route, parts);
				const asked = { params: route.readParams(parts), warnings };
				const result = await judged(begun, this.#call(exchange, route, present, asked));
				this.#answer(exchange, successAnswer(route, result, url, request.headers.accept));
			});
		} finally {
			begun.end();
		}
	}

	/** Returns the caller after its body was read; one whose body took long is looked at again, and not admitted again. */
	async #confirmed({ route }: Exchange, principal: Principal, claim: Claim, knownAt: number): Promise<Principal> {
		if (!route || monotonic() - knownAt < knownMs) return principal;
		return this.#dependencies.authenticator.authenticate(claim, route.action, { known: principal });
	}

	#begin(exchange: Exchange, principal: Principal, { action }: ActionRoute, path: PathParams): BegunRequest {
		if (!action.raw_body) return this.#dependencies.limits.begin(principal);
		const { headers, socket } = exchange.request;
		const { remoteAddress: address = "" } = socket;
		const sender = { address, forwardedFor: forwardedFor(headers), provider: path["provider"] ?? "" };
		return this.#unsigned.begin(sender, (error) => this.#refuse(exchange, error));
	}

	#handOver(exchange: Exchange, { action, status }: ActionRoute, principal: Principal, claim: Claim): void {
		const { request, response, headers } = exchange;
		refuseBody(request);
		const handler = this.#dependencies.rawHandlers.get(action.name);
		if (!handler) throw new UnavailableError("Event streaming is not available");
		for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i] ?? "", headers[i + 1] ?? "");
		if (request.method === "HEAD") {
			response.writeHead(status, { "Content-Type": action.produces }).end();
			return;
		}
		handler(request, response, principal);
		this.#dependencies.metrics.answered(exchange.route, status, undefined);
		const { authenticator } = this.#dependencies;
		this.#keepWatch(response, principal, () => authenticator.authenticate(claim, action, { known: principal }));
	}

	#keepWatch(response: ServerResponse, principal: Principal, authenticate: () => Promise<Principal>): void {
		const forget = this.#dependencies.watch.add({ principal, authenticate, end: () => response.destroy() });
		if (response.destroyed) forget();
		else response.once("close", forget);
	}

	#call(
		exchange: Exchange,
		route: ActionRoute,
		principal: Principal,
		{ params, warnings }: { params: Record<string, unknown>; warnings: readonly string[] },
	): Promise<unknown> {
		const bus = this.#dependencies.bus();
		if (!bus) throw new UnavailableError("The platform is starting");
		const { request } = exchange;
		const meta = {
			...credential(exchange, principal),
			...headerMeta(request, route),
			...this.#browserMeta(exchange, route),
			...(warnings.length > 0 && { warnings }),
		};
		const run = () => {
			const timeout = Math.max(1, Math.min(route.timeoutMs, Math.floor(exchange.end - monotonic())));
			const options = { timeout, meta: { ...meta, deadline: now() + timeout } };
			const ask = () => callForText(bus, route.action, params, options);
			return deleteOnce({ bus, route, principal, params, ...options }, ask);
		};
		return repeatKeyed(meta, run);
	}

	#browserMeta({ request, headers }: Exchange, { action }: ActionRoute): Meta {
		if (action.browser === undefined) return {};
		const { marks } = this.#dependencies;
		const mark = action.browser === "marks" ? marks.mark(request.headers) : marks.read(request.headers);
		headers.push(...mark.headers);
		return mark.browser === undefined ? {} : { browser: mark.browser };
	}

	#answer(exchange: Exchange, answered: Answer): void {
		const { headers } = exchange;
		const all = headers.length === 0 ? answered : { ...answered, headers: [...headers, ...(answered.headers ?? [])] };
		if (!exchange.response.headersSent) this.#note(exchange, all.status);
		send(exchange, all, (error) => {
			this.#dependencies.report(error, exchange.id);
			return unforeseen;
		});
	}

	#note({ route, request, span, id, since }: Exchange, status: number): void {
		this.#dependencies.metrics.answered(route, status, since);
		span?.end(requestStep(request.method ?? "", route, status, id), status >= 500 ? String(status) : undefined);
	}

	/** Notes what a known person may not do, whatever has refused it. */
	#noteRefusal({ route, path, sender: principal, request, id: request_id }: Exchange, reason: string): void {
		if (!route || !principal) return;
		const session = namedSession(path ?? {});
		const resource = session === undefined ? {} : { resource: `sessions/${session}` };
		const { remoteAddress: address = "" } = request.socket;
		this.#dependencies.refusals?.note({
			principal,
			action: route.action.name,
			reason,
			address,
			request_id,
			...resource,
		});
	}

	#refuse(exchange: Exchange, error: unknown): void {
		const foreseen = failureAnswer(error, (parameter) => exchange.route?.placeOf(parameter) ?? "body");
		if (foreseen?.status === 403) this.#noteRefusal(exchange, messageOf(error));
		// The client has gone; a body that ended with its connection is no failure of the platform.
		if (exchange.response.destroyed || exchange.request.errored) return;
		if (!foreseen) this.#dependencies.report(error, exchange.id);
		this.#answer(exchange, foreseen ?? unforeseen);
	}
}

/** Names the parts of a request that are ignored, in a header of every answer to it; returns the sentences. */
function tellIgnored({ headers }: Exchange, route: ActionRoute, parts: RequestParts): readonly string[] {
	const ignored = route.ignoredIn(parts);
	headers.push(...warningHeaders(ignored));
	return ignored;
}

/** Returns the claim of a request; if it may be needed again, a copy, which remains when headers are removed. */
function claimOf(request: IncomingMessage, path: PathParams, { produces }: AnyAction): Claim {
	const { headers, rawHeaders: received, socket: connection } = request;
	const isNeededAgain = produces !== undefined || hasBody(request);
	return { headers: isNeededAgain ? { ...headers } : headers, received, connection, path };
}

/**
 * Reads a body whose sender is known by its signature only. All such senders are one person to the pace, so one that does not
 * come would delay the others there.
 */
async function readUnsigned(
	exchange: Exchange,
	route: ActionRoute,
	begun: BegunRequest,
): Promise<JsonObject | undefined> {
	return route.action.raw_body && readBody(exchange, route, begun);
}

function readBody(
	{ request, response }: Exchange,
	route: ActionRoute,
	begun: BegunRequest,
): JsonObject | Promise<JsonObject> {
	const { action, maxBody } = route;
	const bounds = { maxBytes: maxBody, onChunk: (bytes: number) => begun.received(bytes) };
	if (action.raw_body) return readRawBody(request, response, bounds);
	if (route.method !== "GET") return readJsonBody(request, response, bounds);
	refuseBody(request);
	return {};
}

function credential({ id, request }: Exchange, principal: Principal): Meta {
	const origin = { request_id: id, address: request.socket.remoteAddress ?? "" };
	return principal.kind === "anonymous" ? origin : { ...origin, principal: vouch(principal) };
}

/** Reads the `Idempotency-Key` of a request. @throws {InvalidRequestError} */
function idempotencyKey({ method, headers }: IncomingMessage): Meta {
	const key = headers["idempotency-key"];
	if (key === undefined || method === "GET" || method === "HEAD") return {};
	if (typeof key === "string" && keyForm.test(key)) return { idempotency_key: key };
	const failure = { type: "header", path: [], message: "", expected: keyForm.source };
	throw new InvalidRequestError([{ loc: ["header", "Idempotency-Key"], failure }]);
}

/** Reads the tags of the version that the client has (RFC 9110, 13.1.2); a header longer than a few tags is ignored. */
function validator({ method, headers }: IncomingMessage): Meta {
	const tags = headers["if-none-match"];
	const asks = tags !== undefined && tags.length <= maxValidator && (method === "GET" || method === "HEAD");
	return asks ? { if_none_match: tags } : {};
}

/** Describes a request by its route, because its URL may hold a secret. */
function requestStep(method: string, route: ActionRoute | undefined, status: number, id: string): Step {
	const path = route?.path ?? "";
	return {
		name: route ? `${route.method} ${path}` : method,
		kind: "server",
		attributes: {
			"http.request.method": method,
			"http.route": path,
			"http.response.status_code": status,
			"atelier.request_id": id,
		},
	};
}

function headerMeta(request: IncomingMessage, { action }: ActionRoute): Meta {
	const token = action.passes_token ? bearerToken(request.headers, request.socket) : undefined;
	return {
		...idempotencyKey(request),
		...validator(request),
		...(token !== undefined && { subject_token: token }),
	};
}
