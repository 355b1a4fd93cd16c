/** A client of the event stream that keeps what it has seen. */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { readEvents, type StreamEvent } from "../../../cli/event-stream.ts";
import { eventually, type EventuallyOptions } from "../eventually.ts";

export interface SseOptions {
	/** Sent as `Last-Event-ID`. */
	lastEventId?: string;
	headers?: Record<string, string>;
}

export class SseClient implements AsyncDisposable {
	readonly events: StreamEvent[] = [];
	readonly #response: IncomingMessage;
	readonly #end: Promise<void>;

	private constructor(response: IncomingMessage) {
		this.#response = response;
		this.#end = this.#collect();
	}

	/** Resolves when the server has answered 200. @throws {Error} on any other answer. */
	static async open(url: string, { lastEventId, headers }: SseOptions = {}): Promise<SseClient> {
		const request = get(url, {
			agent: false,
			headers: {
				accept: "text/event-stream",
				...headers,
				...(lastEventId !== undefined && { "last-event-id": lastEventId }),
			},
		});
		// A reset after the answer is told to the request, too, and is an end like any other.
		request.on("error", () => {});
		const [response]: IncomingMessage[] = await once(request, "response");
		if (response?.statusCode === 200) return new SseClient(response);
		request.destroy();
		throw new Error(`Cannot open the event stream "${url}": the answer is ${response?.statusCode}`);
	}

	/** The server's headers. */
	get headers(): IncomingMessage["headers"] {
		return this.#response.headers;
	}

	/** What to reconnect with; undefined before the first event that has an id. */
	get lastEventId(): string | undefined {
		return this.events.findLast(({ id }) => id !== "")?.id;
	}

	/** The first event seen so far, or from now on, that the predicate accepts. */
	event(accepts: (event: StreamEvent) => boolean, options?: EventuallyOptions): Promise<StreamEvent> {
		return eventually(() => this.events.find(accepts), options);
	}

	/** Resolves when the server has closed the stream. */
	ended(): Promise<void> {
		return this.#end;
	}

	async close(): Promise<void> {
		this.#response.destroy();
		await this.#end;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	/** A connection that breaks is an end like any other: what has been seen is what counts. */
	async #collect(): Promise<void> {
		try {
			for await (const event of readEvents(this.#response)) this.events.push(event);
		} catch (error) {
			if (!this.#response.destroyed) throw error;
		}
	}
}
