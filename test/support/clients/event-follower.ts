/** A browser that never gives up: follows the event stream across restarts, and goes on behind the last event it has. */
import { setTimeout as sleep } from "node:timers/promises";
import type { StreamEvent } from "../../../cli/event-stream.ts";
import { SseClient } from "./sse-client.ts";

export interface EventFollowerOptions {
	readonly url: string;
	/** Gets every event, in order. */
	readonly take: (event: StreamEvent) => void;
	/** How long a connection is kept; default as long as it holds. */
	readonly connectionMs?: number;
}

export class EventFollower {
	readonly #options: EventFollowerOptions;
	readonly #stopping = new AbortController();
	readonly #loop: Promise<void>;
	/** Times it had a stream. */
	connections = 0;
	#lastEventId: string | undefined;
	#client: SseClient | undefined;

	constructor(options: EventFollowerOptions) {
		this.#options = options;
		this.#loop = this.#run();
	}

	/** Whether it knows where to go on after a break; a stream that was never told anything begins anew. */
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
			const options = this.#lastEventId === undefined ? {} : { lastEventId: this.#lastEventId };
			this.#client = await SseClient.open(this.#options.url, options).catch(() => undefined);
			// One that was opened while it was being stopped would go on for ever.
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
			if (performance.now() > end) break;
		}
		await client.close();
	}
}
