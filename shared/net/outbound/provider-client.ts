/**
 * Asks a provider with a JSON API (a git host, a tracker) and reads its answers. One client serves one operation: its
 * requests share one budget, and every failure becomes one of the platform's errors (provider-errors.ts).
 * @example
 * ```ts
 * const client = new ProviderClient({ outbound, base_url, isConfigured, headers: { "private-token": token }, ask });
 * const { id } = client.read(project, await client.get("/projects/1"));
 * ```
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Output, Rule, Schema, Value } from "#shared/base/schema/schema.ts";
import { type Check, compileRule, compileSchema } from "#shared/base/schema/validator.ts";
import type { Outbound } from "./outbound.ts";
import { type OperationBounds, type OutboundFetch, outboundFetch } from "./outbound-fetch.ts";
import { cleaned, failureOf, malformed, type ProviderAsk, refusalOf } from "./provider-errors.ts";

export interface ProviderClientOptions {
	readonly outbound: Pick<Outbound, "send">;
	/** The URL before every path, without a slash at its end. */
	readonly base_url: string;
	readonly isConfigured: boolean;
	/** The headers of every request; they hold the credential. */
	readonly headers: Readonly<Record<string, string>>;
	readonly ask: ProviderAsk;
	readonly bounds?: Partial<OperationBounds> | undefined;
}

export interface ProviderRequest {
	readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** The path, with parts that are encoded already; it begins with a slash. */
	readonly path: string;
	readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
	readonly body?: unknown;
	/** Statuses beside those of success that the operation looks at itself. */
	readonly expected?: readonly number[];
}

/** An answer of success, or of an expected status. */
export interface ProviderAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** The body as JSON; undefined when there is none. */
	readonly json: unknown;
	/** The provider's own sentence of a refusal: one line without secrets, at most 300 characters; empty for a success. */
	readonly said: string;
}

/** Asks one provider within one budget. */
export class ProviderClient {
	readonly #options: ProviderClientOptions;
	readonly #fetch: OutboundFetch;

	constructor(options: ProviderClientOptions) {
		this.#options = options;
		const { outbound, base_url, isConfigured, bounds } = options;
		this.#fetch = outboundFetch({ outbound, origin: base_url, isConfigured, bounds });
	}

	/** Sends a request. @throws {ServiceError} for every other status, and when there is no answer. */
	async send({ method = "GET", path, query = {}, body, expected = [] }: ProviderRequest): Promise<ProviderAnswer> {
		const { base_url, headers, ask } = this.#options;
		const sent = body === undefined ? {} : { "content-type": "application/json" };
		const response = await this.#fetch(`${base_url}${path}${searchOf(query)}`, {
			method,
			headers: { accept: "application/json", ...headers, ...sent },
			body: body === undefined ? undefined : JSON.stringify(body),
		}).catch((error: unknown) => {
			throw failureOf(ask, error);
		});
		const { ok, status } = response;
		const received = Object.fromEntries(response.headers.entries());
		const text = await response.text();
		const json = jsonOf(text, ok, ask);
		const message = ok ? "" : (messageOf(json) ?? "");
		if (ok || expected.includes(status)) return { status, headers: received, json, said: cleaned(ask, message) };
		throw refusalOf(ask, { status, headers: received, message });
	}

	async get(path: string, query: ProviderRequest["query"] = {}): Promise<unknown> {
		return (await this.send({ path, query })).json;
	}

	/** Returns the value in the form of the reader. @throws {UpstreamError} when it has another form. */
	read<T>(reader: Reader<T>, value: unknown): T {
		return reader(value, this.#options.ask);
	}
}

function searchOf(query: NonNullable<ProviderRequest["query"]>): string {
	const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
	return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** Checks a value of an answer; members that the schema does not have are removed. @throws {UpstreamError} */
export type Reader<T> = (value: unknown, ask: ProviderAsk) => T;

/** Returns the reader of objects with these members. */
export function objectReader<const S extends Schema>(fields: S): Reader<Output<S>> {
	return readerOf(compileSchema(fields));
}

/** Returns the reader of lists. @param most The most items; a longer list is an answer that cannot be read. */
export function listReader<const R extends Rule>(items: R, most: number): Reader<Value<R>[]> {
	return readerOf(compileRule({ type: "array", items, max: most }));
}

function readerOf<T>(check: Check): Reader<T> {
	return (value, ask) => {
		if (!isOfForm(check, value, ask)) throw malformed(ask);
		return value as T;
	};
}

/** The validator repeats wrong values in its sentences, for which lists in lists in lists are too deep. */
function isOfForm(check: Check, value: unknown, ask: ProviderAsk): boolean {
	try {
		return check(value).length === 0;
	} catch (error) {
		throw malformed(ask, { cause: error });
	}
}

/** @param isNeeded Whether a text that is no JSON is an error; the body of a refusal may be anything. */
function jsonOf(text: string, isNeeded: boolean, ask: ProviderAsk): unknown {
	if (text === "") return undefined;
	try {
		return JSON.parse(text);
	} catch (error) {
		if (isNeeded) throw malformed(ask, { cause: error });
		return undefined;
	}
}

/** Returns the sentence of a refusal, as the members are usually named. */
function messageOf(json: unknown): string | undefined {
	if (typeof json !== "object" || json === null) return undefined;
	const texts = ["message", "error_description", "error"].map((name): unknown => Reflect.get(json, name));
	const found = texts.find((text) => text !== undefined);
	if (found === undefined || found === null) return undefined;
	return typeof found === "string" ? found : JSON.stringify(found).slice(0, 1_000);
}
