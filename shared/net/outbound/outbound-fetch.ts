/**
 * A `fetch` for the clients of providers (git hosts, trackers): every request goes through `Outbound`, and all requests
 * of one operation share one budget of calls and time.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import { ServiceError, TimeoutError, UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import type { Outbound, OutboundAnswer, OutboundRequest } from "./outbound.ts";
import { isBusy, waitOf } from "./provider-pace.ts";

/** The bounds of one operation, of all its requests together. */
export interface OperationBounds {
	/** Most requests, with those that are repeated; default 30. */
	readonly calls: number;
	/** Milliseconds for everything; default 10,000. */
	readonly ms: number;
	/** Most bytes of one answer; default 5 MiB. */
	readonly maxBytes: number;
}

export interface OutboundFetchOptions {
	readonly outbound: Pick<Outbound, "send">;
	/** The address of the provider; requests to other origins are refused, so that no link gets the credential. */
	readonly origin: string;
	/** Whether the address is of the platform's configuration and not of a user. */
	readonly isConfigured: boolean;
	readonly bounds?: Partial<OperationBounds> | undefined;
}

/** The part of `fetch` that clients of providers use. */
export type OutboundFetch = (url: string | URL, init?: OutboundInit) => Promise<Response>;

/** The members of a request that are understood. */
export interface OutboundInit {
	readonly method?: string | undefined;
	readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
	readonly body?: string | null | undefined;
}

export const defaultBounds: OperationBounds = { calls: 30, ms: 10_000, maxBytes: 5 * 1_048_576 };

const maxTries = 3;
/** The wait before a read is repeated after a failure, in milliseconds. */
const repeatMs = 250;

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
/** The statuses of answers that say nothing about a later try of a read. */
const passing = new Set([500, 502, 503, 504]);
/** The statuses that a `Response` must have no body with. */
const bodiless = new Set([204, 205, 304]);

/**
 * Returns a `fetch` for one operation. Reads are repeated after a failure of the server or of the connection. Writes are
 * repeated only when the provider said that it did nothing (429), because an unclear answer may be that of a success.
 * @throws {ServiceError} from the returned function, as `Outbound.send`; UpstreamError when the budget is used up.
 */
export function outboundFetch(options: OutboundFetchOptions): OutboundFetch {
	const bounds = { ...defaultBounds, ...options.bounds };
	const budget = new Budget(bounds);
	const { origin } = new URL(options.origin);
	return async (url, init = {}) => {
		const request = requestOf(String(url), init);
		if (new URL(request.url).origin !== origin)
			throw new UpstreamError("The server named a page of another server", "PROVIDER_ELSEWHERE");
		return asResponse(await sendPatiently({ ...options, request, budget, maxBytes: bounds.maxBytes }));
	};
}

class Budget {
	readonly #end: number;
	readonly #ms: number;
	#calls: number;

	constructor({ calls, ms }: OperationBounds) {
		this.#calls = calls;
		this.#ms = ms;
		this.#end = monotonic() + ms;
	}

	get leftMs(): number {
		return Math.floor(this.#end - monotonic());
	}

	/** Whether one more call could be made after a wait, and have some time for its answer. */
	allows(waitMs: number): boolean {
		return this.#calls > 0 && waitMs < this.leftMs;
	}

	/** Returns the time for the call, in milliseconds. */
	take(): number {
		if (this.#calls === 0) throw new UpstreamError("The server needs too many requests", "PROVIDER_BUDGET");
		this.#calls--;
		if (this.leftMs <= 0) throw new TimeoutError(`The server did not answer within ${this.#ms} ms`, "UPSTREAM_TIMEOUT");
		return this.leftMs;
	}
}

interface Patience extends OutboundFetchOptions {
	readonly request: OutboundRequest;
	readonly budget: Budget;
	readonly maxBytes: number;
}

async function sendPatiently(patience: Patience): Promise<OutboundAnswer> {
	for (let attempt = 1; ; attempt++) {
		const outcome = await sendOnce(patience);
		const waitMs = attempt < maxTries ? nextWait(patience.request, outcome, attempt) : undefined;
		if (waitMs === undefined || !patience.budget.allows(waitMs)) return answerOf(outcome);
		await sleep(waitMs);
	}
}

type Outcome = { readonly answer: OutboundAnswer } | { readonly error: unknown };

async function sendOnce({ outbound, isConfigured, request, budget, maxBytes }: Patience): Promise<Outcome> {
	const timeoutMs = budget.take();
	try {
		return { answer: await outbound.send({ ...request, isConfigured, timeoutMs, maxBytes }) };
	} catch (error) {
		return { error };
	}
}

function answerOf(outcome: Outcome): OutboundAnswer {
	if ("error" in outcome) throw outcome.error;
	return outcome.answer;
}

/** Returns the wait before the next try in milliseconds; undefined when there is none. */
function nextWait({ method = "GET" }: OutboundRequest, outcome: Outcome, attempt: number): number | undefined {
	if ("answer" in outcome && isBusy(outcome.answer)) return waitOf(outcome.answer) ?? 1_000 * attempt;
	const isRead = method === "GET" || method === "HEAD";
	return isRead && mayPass(outcome) ? repeatMs * attempt : undefined;
}

/** Whether the failure may be over at the next try. */
function mayPass(outcome: Outcome): boolean {
	if ("answer" in outcome) return passing.has(outcome.answer.status);
	return outcome.error instanceof ServiceError && outcome.error.type === "UPSTREAM_UNREACHABLE";
}

function requestOf(url: string, { method = "GET", headers, body }: OutboundInit): OutboundRequest {
	const known = methods.find((name) => name === method.toUpperCase());
	if (!known) throw new UnprocessableError("The method cannot be sent", "METHOD_REFUSED");
	return {
		url,
		method: known,
		headers: Object.fromEntries(new Headers(headers).entries()),
		...(typeof body === "string" && { body }),
	};
}

function asResponse({ status, headers, body, url }: OutboundAnswer): Response {
	if (status < 200 || status > 599)
		throw new UpstreamError(`The server answered with the status ${status}`, "UPSTREAM_STATUS");
	const pairs = Object.entries(headers).flatMap(([name, value]) =>
		[value ?? []].flat().map((text): [string, string] => [name, text]),
	);
	// The body is decompressed already.
	const kept = pairs.filter(([name]) => name !== "content-encoding" && name !== "content-length");
	const response = new Response(bodiless.has(status) ? null : new Uint8Array(body), { status, headers: kept });
	Object.defineProperty(response, "url", { value: url });
	return response;
}
