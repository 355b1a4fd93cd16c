/** Follows the event stream across restarts like a browser, and continues behind the last event it has. */
import { setTimeout as sleep } from "node:timers/promises";
import type { StreamEvent } from "../../../cli/event-stream.ts";
import { SseClient } from "./sse-client.ts";

export interface EventFollowerOptions {
	/** A function chooses one for each connection. */
	readonly url: string | (() => string);
	readonly headers?: Readonly<Record<string, string>>;
	/** Receives every event, in order. */
	readonly take: (event: StreamEvent) => void;
	/**
	 * How long a connection is used, in milliseconds, and until it has told a position to continue from; default: as long
	 * as it holds.
	 */
	readonly connectionMs?: number;
}

export class EventFollower {
	readonly #options: EventFollowerOptions;
	readonly #stopping = new AbortController();
	readonly #loop: Promise<void>;
	/** The count of streams so far. */
	connections = 0;
	#lastEventId: string | undefined;
	#client: SseClient | undefined;

	constructor(options: EventFollowerOptions) {
		this.#options = options;
		this.#loop = this.#run();
	}

	/** Whether it has a position to continue from; a stream without events begins again. */
	get hasPlace(): boolean {
		return this.#lastEventId !== undefined;
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#client?.close();
		await this.#loop;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopping;
		while (!signal.aborted) {
			const { url, headers } = this.#options;
			const options = {
				...(headers && { headers }),
				...(this.#lastEventId !== undefined && { lastEventId: this.#lastEventId }),
			};
			this.#client = await SseClient.open(typeof url === "string" ? url : url(), options).catch(() => undefined);
			// A connection that was opened during the stop would otherwise stay open.
			if (signal.aborted) await this.#client?.close();
			if (this.#client) await this.#follow(this.#client);
			await sleep(50);
		}
	}

	async #follow(client: SseClient): Promise<void> {
		const { take, connectionMs = Number.POSITIVE_INFINITY } = this.#options;
		this.connections++;
		const end = performance.now() + connectionMs;
		let open = true;
		void client.ended().finally(() => (open = false));
		for (let seen = 0; open || seen < client.events.length; await sleep(10)) {
			for (const event of client.events.slice(seen)) {
				seen++;
				if (event.id !== "") this.#lastEventId = event.id;
				take(event);
			}
			if (performance.now() > end && this.hasPlace) break;
		}
		await client.close();
	}
}
