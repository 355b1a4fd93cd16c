/** A browser that never gives up: follows the event stream across restarts and keeps what it was told of each session. */
import { setTimeout as sleep } from "node:timers/promises";
import type { StreamEvent } from "../../cli/event-stream.ts";
import { SseClient } from "../support/sse-client.ts";
import type { Overheard } from "./overheard.ts";

interface Told {
	/** Counted, so that an event that is missing or comes twice shows. */
	rev: number;
	status: string;
}

interface SessionEvent extends Told {
	id: string;
	generation: number;
}

export class StreamFollower {
	readonly #url: string;
	readonly #overheard: Overheard;
	readonly #stopping = new AbortController();
	readonly #loop: Promise<void>;
	/** By session; a deleted one is not there. */
	readonly told = new Map<string, Told>();
	/** Launches that it was told of, as `<session> <generation>`. */
	readonly launches = new Set<string>();
	readonly wrong: string[] = [];
	events = 0;
	reconnects = 0;
	#lastEventId: string | undefined;
	#client: SseClient | undefined;

	constructor(url: string, overheard: Overheard) {
		this.#url = url;
		this.#overheard = overheard;
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
		while (!this.#stopping.signal.aborted) {
			const options = this.#lastEventId === undefined ? {} : { lastEventId: this.#lastEventId };
			this.#client = await SseClient.open(this.#url, options).catch(() => undefined);
			// One that was opened while it was being stopped would go on for ever.
			if (this.#stopping.signal.aborted) await this.#client?.close();
			if (this.#client) await this.#follow(this.#client);
			await sleep(50);
		}
	}

	async #follow(client: SseClient): Promise<void> {
		this.reconnects++;
		let open = true;
		void client.ended().finally(() => (open = false));
		for (let seen = 0; open || seen < client.events.length; await sleep(20))
			while (seen < client.events.length) this.#take(client.events[seen++]);
		await client.close();
	}

	#take(event: StreamEvent | undefined): void {
		if (!event) return;
		this.events++;
		this.#overheard.hear(event.data);
		if (event.id !== "") this.#lastEventId = event.id;
		if (event.event === "reset") this.wrong.push(`The stream was reset: ${event.data}`);
		if (event.event === "session_deleted") this.told.delete(parsed(event).id);
		if (event.event === "session_activity") this.#hearOfActivity(event);
		if (event.event === "session_created" || event.event === "session_updated") this.#hear(event);
	}

	/** Every revision once and in order. */
	#hear(event: StreamEvent): void {
		const { id, rev, status, generation } = parsed(event);
		this.launches.add(`${id} ${generation}`);
		const before = this.told.get(id)?.rev ?? 0;
		if (rev !== before + 1) this.wrong.push(`${id}: revision ${rev} after ${before}`);
		this.told.set(id, { rev, status });
	}

	/** A revision too, although it does not say which. */
	#hearOfActivity({ data }: StreamEvent): void {
		const { session_id } = JSON.parse(data) as { session_id: string };
		const told = this.told.get(session_id);
		if (told) told.rev++;
	}
}

function parsed({ data }: StreamEvent): SessionEvent {
	return JSON.parse(data) as SessionEvent;
}
