/** Calls the platform's HTTP API as a client would. */

export interface Answer<T = unknown> {
	status: number;
	headers: Headers;
	/** The parsed body; undefined when there is none. A body that is not JSON is a text. */
	body: T;
	/** The body as sent. */
	text: string;
}

export interface RequestOptions {
	/** The body, which is sent as JSON; a string is sent unchanged. */
	body?: unknown;
	headers?: Record<string, string>;
	query?: Record<string, string | number | boolean>;
}

/** The way of one request to the platform. */
export interface Way {
	/** The base of all paths, e.g. `http://127.0.0.1:8080/api/v1/svc`. */
	readonly base: string;
	/** Ends the request, beside its time limit of 30 s. */
	readonly signal?: AbortSignal;
}

export class ApiClient {
	readonly #way: () => Way;
	readonly #headers: Record<string, string>;

	/** @param way The base of all paths, e.g. `http://127.0.0.1:8080/api/v1/svc`, or a function that chooses each time. */
	constructor(way: string | (() => Way), headers: Record<string, string> = {}) {
		this.#way = typeof way === "string" ? () => ({ base: way }) : way;
		this.#headers = headers;
	}

	get<T>(path: string, options?: RequestOptions): Promise<Answer<T>> {
		return this.request<T>("GET", path, options);
	}

	post<T>(path: string, body?: unknown, options?: RequestOptions): Promise<Answer<T>> {
		return this.request<T>("POST", path, { ...options, body });
	}

	put<T>(path: string, body?: unknown, options?: RequestOptions): Promise<Answer<T>> {
		return this.request<T>("PUT", path, { ...options, body });
	}

	delete<T>(path: string, options?: RequestOptions): Promise<Answer<T>> {
		return this.request<T>("DELETE", path, options);
	}

	/** Sends a request; redirects are not followed. */
	async request<T>(
		method: string,
		path: string,
		{ body, headers, query = {} }: RequestOptions = {},
	): Promise<Answer<T>> {
		const { base, signal } = this.#way();
		const url = new URL(base + path);
		for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
		const response = await fetch(url, {
			method,
			redirect: "manual",
			headers: { ...this.#headers, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
			...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
			signal: AbortSignal.any([AbortSignal.timeout(30_000), ...(signal ? [signal] : [])]),
		});
		const text = await response.text();
		return { status: response.status, headers: response.headers, body: parsed(text), text };
	}
}

function parsed(text: string) {
	if (text === "") return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
