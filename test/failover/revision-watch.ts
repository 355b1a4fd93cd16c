/** A client of the event stream that counts what it is told twice, and what it is not told. */
import { setTimeout as sleep } from "node:timers/promises";
import type { StreamEvent } from "../../cli/event-stream.ts";
import { SseClient } from "../support/sse-client.ts";

interface Told {
	readonly id: string;
	readonly rev: number;
	readonly name: string;
}

export class RevisionWatch {
	readonly #url: string;
	/** How long a connection is kept. */
	readonly #connectionMs: number;
	readonly #stopping = new AbortController();
	readonly #loop: Promise<void>;
	/** Newest revision of each session that it was told of. */
	readonly told = new Map<string, number>();
	/** What was seen so far. */
	gaps = 0;
	doubles = 0;
	resets = 0;
	/** When it was told of each name of a session, by `performance.now`. */
	readonly names = new Map<string, number>();
	#lastEventId: string | undefined;
	#client: SseClient | undefined;

	constructor(url: string, connectionMs: number) {
		this.#url = url;
		this.#connectionMs = connectionMs;
		this.#loop = this.#run();
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#client?.close();
		await this.#loop;
	}

	async #run(): Promise<void> {
		while (!this.#stopping.signal.aborted) {
			const options = this.#lastEventId === undefined ? {} : { lastEventId: this.#lastEventId };
			this.#client = await SseClient.open(this.#url, options).catch(() => undefined);
			if (this.#client) await this.#follow(this.#client);
			await sleep(50);
		}
	}

	async #follow(client: SseClient): Promise<void> {
		const end = performance.now() + this.#connectionMs;
		let open = !this.#stopping.signal.aborted;
		void client.ended().finally(() => (open = false));
		for (let seen = 0; open || seen < client.events.length; await sleep(10)) {
			while (seen < client.events.length) this.#take(client.events[seen++]);
			if (performance.now() > end) break;
		}
		await client.close();
	}

	#take(event: StreamEvent | undefined): void {
		if (!event) return;
		if (event.id !== "") this.#lastEventId = event.id;
		if (event.event === "reset") this.#beginAnew();
		if (event.event === "session_created" || event.event === "session_updated")
			this.#hear(JSON.parse(event.data) as Told);
	}

	/** What follows is the present state, whatever was told before. */
	#beginAnew(): void {
		this.resets++;
		this.told.clear();
	}

	#hear({ id, rev, name }: Told): void {
		const before = this.told.get(id);
		if (before !== undefined && rev <= before) this.doubles++;
		if (before !== undefined && rev > before + 1) this.gaps += rev - before - 1;
		this.told.set(id, Math.max(rev, before ?? 0));
		if (!this.names.has(name)) this.names.set(name, performance.now());
	}
}
