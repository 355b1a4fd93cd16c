/**
 * Asks a provider with a JSON API (a git host, a tracker) and reads its answers. One client serves one operation: its
 * requests share one budget, and every failure becomes one of the platform's errors (provider-errors.ts).
 * @example
 * ```ts
 * const client = new ProviderClient({ outbound, base_url, isConfigured, token, ask });
 * const { id } = client.read(project, await client.get("/projects/1"));
 * ```
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Output, Rule, Schema, Value } from "#shared/base/schema/schema.ts";
import { type Check, compileRule, compileSchema } from "#shared/base/schema/validator.ts";
import type { Outbound } from "./outbound.ts";
import { type OperationBounds, type OutboundFetch, outboundFetch, type OutboundInit } from "./outbound-fetch.ts";
import { cleaned, failureOf, malformed, type ProviderAsk, refusalOf } from "./provider-errors.ts";

export interface ProviderClientOptions {
	readonly outbound: Pick<Outbound, "send">;
	/** The URL before every path, without a slash at its end. */
	readonly base_url: string;
	readonly isConfigured: boolean;
	/** A bearer token, which no sentence repeats; empty or absent: none is sent. */
	readonly token?: string;
	/** Further headers of every request. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly ask: ProviderAsk;
	readonly bounds?: Partial<OperationBounds> | undefined;
	/** Absent: no list has more than one page. */
	readonly pages?: PageRules;
	/** Returns the provider's own sentence in the body of a refusal; absent: that of the members as they are usually named. */
	readonly sentenceOf?: (body: unknown) => string;
}

/** How the numbered pages of a provider's lists are asked for. */
export interface PageRules {
	/** The parameter for the number of items of a page. */
	readonly size: Readonly<Record<string, number>>;
	/** Returns the number of the next page; undefined after the last one. */
	readonly next: (page: AnsweredPage) => number | undefined;
}

interface AnsweredPage {
	readonly number: number;
	/** The number of its items. */
	readonly count: number;
	readonly headers: IncomingHttpHeaders;
}

export interface WantedList<T> {
	readonly path: string;
	/** The parameters beside those of pages. */
	readonly query?: ProviderRequest["query"];
	readonly reader: Reader<T[]>;
	/** The most items that are read. */
	readonly most: number;
}

export interface ReadList<T> {
	readonly items: T[];
	/** Whether the list has more items than were read. */
	readonly more: boolean;
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
	readonly #ask: ProviderAsk;
	readonly #headers: Readonly<Record<string, string>>;
	readonly #fetch: OutboundFetch;

	constructor(options: ProviderClientOptions) {
		this.#options = options;
		const { outbound, base_url, isConfigured, bounds, token = "", ask } = options;
		this.#ask = { ...ask, secrets: [...(ask.secrets ?? []), token] };
		const authorization = token === "" ? {} : { authorization: `Bearer ${token}` };
		this.#headers = { accept: "application/json", ...options.headers, ...authorization };
		this.#fetch = outboundFetch({ outbound, origin: base_url, isConfigured, bounds });
	}

	/** Sends a request. @throws {ServiceError} for every other status, and when there is no answer. */
	async send({ method = "GET", path, query = {}, body, expected = [] }: ProviderRequest): Promise<ProviderAnswer> {
		const { base_url, sentenceOf = messageOf } = this.#options;
		const ask = this.#ask;
		const response = await this.#fetch(`${base_url}${path}${searchOf(query)}`, {
			method,
			...this.#contentOf(body),
		}).catch((error: unknown) => {
			throw failureOf(ask, error);
		});
		const { ok, status } = response;
		const received = Object.fromEntries(response.headers.entries());
		const text = await response.text();
		const json = jsonOf(text, ok, ask);
		const message = ok ? "" : sentenceOf(json ?? text);
		if (ok || expected.includes(status)) return { status, headers: received, json, said: cleaned(ask, message) };
		throw refusalOf(ask, { status, headers: received, message });
	}

	#contentOf(body: unknown): Pick<OutboundInit, "headers" | "body"> {
		if (body === undefined) return { headers: this.#headers };
		return { headers: { ...this.#headers, "content-type": "application/json" }, body: JSON.stringify(body) };
	}

	async get(path: string, query: ProviderRequest["query"] = {}): Promise<unknown> {
		return (await this.send({ path, query })).json;
	}

	/**
	 * Resolves with the items of all pages, from the first one on. A page without items and a next page that is not a later
	 * one end the list, so that no answer leads around in a circle.
	 */
	async list<T>({ path, query, reader, most }: WantedList<T>): Promise<ReadList<T>> {
		const { pages } = this.#options;
		const items: T[] = [];
		for (let page = 1; ; ) {
			const { headers, json } = await this.send({ path, query: { ...pages?.size, ...query, page } });
			const found = this.read(reader, json);
			items.push(...found);
			const following = found.length === 0 ? undefined : pages?.next({ number: page, count: found.length, headers });
			if (items.length > most || (items.length === most && following !== undefined))
				return { items: items.slice(0, most), more: true };
			if (following === undefined || following <= page) return { items, more: false };
			page = following;
		}
	}

	/** Returns the value in the form of the reader. @throws {UpstreamError} when it has another form. */
	read<T>(reader: Reader<T>, value: unknown): T {
		return reader(value, this.#ask);
	}

	/** The error for an answer that breaks the provider's description. */
	malformed(): Error {
		return malformed(this.#ask);
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
function messageOf(json: unknown): string {
	if (typeof json !== "object" || json === null) return "";
	const texts = ["message", "error_description", "error"].map((name): unknown => Reflect.get(json, name));
	const found = texts.find((text) => text !== undefined);
	if (found === undefined || found === null) return "";
	return typeof found === "string" ? found : JSON.stringify(found).slice(0, 1_000);
}
