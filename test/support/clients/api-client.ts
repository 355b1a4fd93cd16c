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

export class ApiClient {
	readonly #base: string;
	readonly #headers: Record<string, string>;

	/** @param base The base of all paths, e.g. `http://127.0.0.1:8080/api/v1/svc`. */
	constructor(base: string, headers: Record<string, string> = {}) {
		this.#base = base;
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
		const url = new URL(this.#base + path);
		for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
		const response = await fetch(url, {
			method,
			redirect: "manual",
			headers: { ...this.#headers, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
			...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
			signal: AbortSignal.timeout(30_000),
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
