/** A client of the event stream that records all events. */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { readEvents, type StreamEvent } from "../../../cli/event-stream.ts";
import { eventually, type EventuallyOptions } from "../eventually.ts";

export interface SseOptions {
	/** The value of `Last-Event-ID`. */
	lastEventId?: string;
	headers?: Record<string, string>;
	/** Translates the ids of events; default: as they are. */
	readId?: (id: string) => string;
}

export class SseClient implements AsyncDisposable {
	readonly events: StreamEvent[] = [];
	readonly #response: IncomingMessage;
	readonly #readId: (id: string) => string;
	readonly #end: Promise<void>;

	private constructor(response: IncomingMessage, readId: (id: string) => string) {
		this.#response = response;
		this.#readId = readId;
		this.#end = this.#collect();
	}

	/** Opens a stream; resolves when the server has answered 200. @throws {Error} for any other answer. */
	static async open(url: string, { lastEventId, headers, readId = (id) => id }: SseOptions = {}): Promise<SseClient> {
		const request = get(url, {
			agent: false,
			headers: {
				accept: "text/event-stream",
				...headers,
				...(lastEventId !== undefined && { "last-event-id": lastEventId }),
			},
		});
		// The request also gets a reset after the answer, which counts as an ordinary end.
		request.on("error", () => {});
		const [response]: IncomingMessage[] = await once(request, "response");
		if (response?.statusCode === 200) return new SseClient(response, readId);
		request.destroy();
		throw new Error(`Cannot open the event stream "${url}": the answer is ${response?.statusCode}`);
	}

	/** The headers of the answer. */
	get headers(): IncomingMessage["headers"] {
		return this.#response.headers;
	}

	/** The id to reconnect with; undefined before the first event with an id. */
	get lastEventId(): string | undefined {
		return this.events.findLast(({ id }) => id !== "")?.id;
	}

	/** Resolves with the first event, past or future, that the predicate accepts. */
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

	/** Records events until the connection ends, also when it breaks. */
	async #collect(): Promise<void> {
		try {
			for await (const event of readEvents(this.#response)) {
				this.events.push({ ...event, id: this.#readId(event.id) });
			}
		} catch (error) {
			if (!this.#response.destroyed) throw error;
		}
	}
}
