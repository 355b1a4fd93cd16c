/** A client of the platform's HTTP API for the demo. */
import { deadline } from "#shared/base/clock.ts";
import { noPlatform } from "./no-platform.ts";
import { readEvents, type StreamEvent } from "./event-stream.ts";

const requestMs = 40_000;
const missingToken =
	"this platform wants to know who asks: put a personal access token, or the access token of a login, into ATELIER_TOKEN (docs/tokens.md)";

/** An unexpected answer of the platform, or none; the message is for the person at the terminal. */
export class PlatformError extends Error {
	override readonly name = "PlatformError";
	/** The HTTP status; undefined without an answer. */
	readonly status: number | undefined;

	constructor(message: string, status?: number) {
		super(message);
		this.status = status;
	}
}

interface Request {
	readonly body?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal;
}

/** The requests of one user to one platform. */
export class PlatformClient {
	readonly #base: string;
	readonly #credential: Record<string, string>;

	/**
	 * @param base The base URL of the API, e.g. `http://127.0.0.1:8080/api/v1/svc`.
	 * @param token The user's token; absent: the platform knows its user without one.
	 */
	constructor(base: string, token?: string) {
		this.#base = base;
		this.#credential = token === undefined ? {} : { authorization: `Bearer ${token}` };
	}

	/** Returns the URL of a path of the API. */
	url(path: string): string {
		return `${this.#base}${path}`;
	}

	get<T>(path: string): Promise<T> {
		return this.#json<T>("GET", path);
	}

	post<T>(path: string, body?: object): Promise<T> {
		return this.#json<T>("POST", path, body);
	}

	async delete(path: string, body: object): Promise<void> {
		await this.#send("DELETE", path, { ...jsonContent(body), signal: deadline(requestMs) });
	}

	/** Returns all events from now on, until the signal aborts. @throws {PlatformError} */
	async events(signal: AbortSignal): Promise<AsyncGenerator<StreamEvent, void>> {
		const { body } = await this.#send("GET", "/sessions/stream", { signal });
		if (!body) throw new PlatformError("The event stream has no body");
		return readEvents(body);
	}

	async #json<T>(method: string, path: string, body?: object): Promise<T> {
		const response = await this.#send(method, path, { ...(body && jsonContent(body)), signal: deadline(requestMs) });
		const answer: T = await response.json();
		return answer;
	}

	/** Sends a request. @throws {PlatformError} for an answer that is not a success. */
	async #send(method: string, path: string, init: Request): Promise<Response> {
		const headers = { ...this.#credential, ...init.headers };
		const response = await fetch(this.url(path), { ...init, headers, method }).catch((cause: unknown) => {
			throw new PlatformError(noPlatform(this.#base, cause));
		});
		if (response.ok) return response;
		const remedy = response.status === 401 ? `; ${missingToken}` : "";
		const sentence = `${method} ${path} was answered with ${response.status}: ${await detailOf(response)}${remedy}`;
		throw new PlatformError(sentence, response.status);
	}
}

function jsonContent(body: object): Request {
	return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

async function detailOf(response: Response): Promise<string> {
	const text = await response.text();
	try {
		const { detail }: { detail?: unknown } = JSON.parse(text);
		return typeof detail === "string" ? detail : JSON.stringify(detail);
	} catch {
		return text;
	}
}
