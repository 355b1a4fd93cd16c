/**
 * The only maker of Octokit: GitHub's API for git hosts and trackers. One client serves one operation: its requests go
 * through `Outbound` and share one budget, and every failure becomes one of the platform's errors.
 */
import type { IncomingHttpHeaders } from "node:http";
import { Octokit } from "@octokit/rest";
import type { Endpoints } from "@octokit/types";
import { outboundFetch } from "../outbound/outbound-fetch.ts";
import type { ProviderClientOptions, Reader } from "../outbound/provider-client.ts";
import { cleaned, failureOf, malformed, type ProviderAsk, refusalOf } from "../outbound/provider-errors.ts";

/** The address of the hosted service. */
export const githubUrl = "https://api.github.com";

/** The `base_url` of an Enterprise Server ends with `/api/v3`. */
export interface GitHubClientOptions extends Omit<ProviderClientOptions, "headers"> {
	/** Empty: only what everybody may see. */
	readonly token: string;
}

type Route = keyof Endpoints;

/** An answer of success, or of a status that the operation expects. */
export interface GitHubAnswer {
	readonly status: number;
	/** The body as JSON. It is not checked yet. */
	readonly data: unknown;
	/** The provider's own sentence of a refusal: one line without secrets, at most 300 characters; empty for a success. */
	readonly message: string;
}

interface OctokitAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly data: unknown;
}

const pageSize = 100;
/** The names of the list in answers that are no list themselves. */
const listNames = ["check_runs", "statuses", "items"];

/** Asks GitHub within one budget. */
export class GitHubClient {
	readonly #octokit: Octokit;
	readonly #ask: ProviderAsk;
	readonly #headers: Readonly<Record<string, string>>;

	constructor({ outbound, base_url, token, isConfigured, ask, bounds }: GitHubClientOptions) {
		const fetch = outboundFetch({ outbound, origin: base_url, isConfigured, bounds });
		this.#ask = { ...ask, hint: addressHint(base_url), secrets: [...(ask.secrets ?? []), token] };
		this.#headers = {
			accept: "application/vnd.github+json",
			"x-github-api-version": "2022-11-28",
			...(token !== "" && { authorization: `Bearer ${token}` }),
		};
		this.#octokit = new Octokit({
			baseUrl: base_url,
			userAgent: "Atelier",
			log: silent,
			request: { fetch, log: silent },
		});
	}

	/**
	 * Sends a request.
	 * @param expected Statuses beside those of success that the operation looks at itself.
	 * @throws {ServiceError} for every other status, and when there is no answer.
	 */
	async send<R extends Route>(
		route: R,
		parameters: Endpoints[R]["parameters"],
		expected: readonly number[] = [],
	): Promise<GitHubAnswer> {
		try {
			const { status, headers, data } = await this.#send(route, parameters);
			// Octokit takes a redirect that was not followed for a success.
			if (status >= 300) throw refusalOf(this.#ask, { status, headers });
			return { status, data, message: "" };
		} catch (error) {
			const refused = refusedAnswer(error);
			if (!refused) throw failureOf(this.#ask, error);
			if (expected.includes(refused.status)) return { ...refused, message: cleaned(this.#ask, refused.message) };
			throw refusalOf(this.#ask, refused);
		}
	}

	async get<R extends Route>(route: R, parameters: Endpoints[R]["parameters"]): Promise<unknown> {
		return (await this.send(route, parameters)).data;
	}

	/**
	 * Returns the items of a list from its first page on. The pages are counted here and links are not followed, so that
	 * no answer leads elsewhere or in a circle.
	 * @param most The most items; `more` says whether there are further ones.
	 * @throws {ServiceError} as `send`, and when a page is no list.
	 */
	async list<R extends Route, T>(
		route: R,
		parameters: Endpoints[R]["parameters"],
		{ reader, most }: { reader: Reader<T[]>; most: number },
	): Promise<{ items: T[]; more: boolean }> {
		const items: T[] = [];
		for (let page = 1; ; page++) {
			const data = await this.get(route, { ...parameters, per_page: pageSize, page });
			const found = this.read(reader, listOf(data));
			items.push(...found);
			if (found.length < pageSize) return { items: items.slice(0, most), more: items.length > most };
			if (items.length >= most) return { items: items.slice(0, most), more: true };
		}
	}

	/** Returns the value in the form of the reader. @throws {UpstreamError} when it has another form. */
	read<T>(reader: Reader<T>, value: unknown): T {
		return reader(value, this.#ask);
	}

	/** An answer that breaks the provider's description. */
	malformed(): Error {
		return malformed(this.#ask);
	}

	async #send(route: string, parameters: Record<string, unknown>): Promise<OctokitAnswer> {
		const { status, headers, data } = await this.#octokit.request(route, { ...parameters, headers: this.#headers });
		const texts = Object.entries(headers).map(([name, text]) => [name, String(text)]);
		return { status, headers: Object.fromEntries(texts), data };
	}
}

/** Returns what is wrong with the address of an API without a path, which only GitHub's own service has. */
function addressHint(base_url: string): string | undefined {
	const { hostname, pathname } = new URL(base_url);
	if (pathname !== "/" || hostname.startsWith("api.")) return undefined;
	return "; the base_url of a GitHub Enterprise Server ends with /api/v3, and this one does not";
}

/** Octokit would otherwise write to the console. */
const silent = { debug() {}, info() {}, warn() {}, error() {} };

function listOf(data: unknown): unknown {
	if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
	const name = listNames.find((member) => Object.hasOwn(data, member));
	return name === undefined ? data : Reflect.get(data, name);
}

interface RefusedAnswer extends GitHubAnswer {
	readonly headers: Record<string, string>;
}

/** Returns the answer in an error of Octokit; undefined when there was none. */
function refusedAnswer(error: unknown): RefusedAnswer | undefined {
	if (typeof error !== "object" || error === null || !("response" in error)) return undefined;
	const { response } = error;
	if (typeof response !== "object" || response === null) return undefined;
	const { status, headers, data }: { status?: unknown; headers?: Record<string, string>; data?: unknown } = response;
	if (typeof status !== "number") return undefined;
	return { status, headers: headers ?? {}, data, message: messageOf(data) };
}

/** Returns the sentence, with the reasons that GitHub adds to that of a 422. */
function messageOf(data: unknown): string {
	if (typeof data === "string") return data.slice(0, 2_000);
	if (typeof data !== "object" || data === null) return "";
	const { message, errors }: { message?: unknown; errors?: unknown } = data;
	const reasons = Array.isArray(errors) ? errors.slice(0, 5).flatMap(reasonOf) : [];
	return [typeof message === "string" ? message : "", ...reasons].filter((text) => text !== "").join(": ");
}

function reasonOf(error: unknown): string[] {
	if (typeof error === "string") return [error];
	if (typeof error !== "object" || error === null) return [];
	const { message, field, code }: { message?: unknown; field?: unknown; code?: unknown } = error;
	if (typeof message === "string") return [message];
	return [[field, code].filter((part) => typeof part === "string").join(" ")];
}
