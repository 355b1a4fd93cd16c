/** A client of the event stream that counts what it is told twice, and what it is not told. */
import type { StreamEvent } from "../../cli/event-stream.ts";
import { EventFollower } from "../support/clients/event-follower.ts";

interface Told {
	readonly id: string;
	readonly rev: number;
	readonly name: string;
}

export class RevisionWatch {
	/** Newest revision of each session that it was told of. */
	readonly told = new Map<string, number>();
	/** What was seen so far. */
	gaps = 0;
	doubles = 0;
	resets = 0;
	/** When it was told of each name of a session, by `performance.now`. */
	readonly names = new Map<string, number>();
	readonly #follower: EventFollower;

	/** @param connectionMs How long a connection is kept. */
	constructor(url: string, connectionMs: number) {
		this.#follower = new EventFollower({ url, connectionMs, take: (event) => this.#take(event) });
	}

	stop(): Promise<void> {
		return this.#follower.stop();
	}

	#take(event: StreamEvent): void {
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
