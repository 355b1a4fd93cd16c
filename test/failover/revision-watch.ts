/** A client of the event stream that counts duplicate and missing revisions. */
import type { StreamEvent } from "../../cli/event-stream.ts";
import { EventFollower } from "../support/clients/event-follower.ts";

interface Told {
	readonly id: string;
	readonly rev: number;
	readonly name: string;
}

export class RevisionWatch {
	/** The newest revision of each session that the client has received. */
	readonly told = new Map<string, number>();
	/** The observations so far. */
	gaps = 0;
	doubles = 0;
	resets = 0;
	/** The time at which each name of a session arrived, by `performance.now`. */
	readonly names = new Map<string, number>();
	readonly #follower: EventFollower;

	/** @param connectionMs How long a connection is used. */
	constructor(url: string, headers: Readonly<Record<string, string>>, connectionMs: number) {
		this.#follower = new EventFollower({ url, headers, connectionMs, take: (event) => this.#take(event) });
	}

	stop(): Promise<void> {
		return this.#follower.stop();
	}

	#take(event: StreamEvent): void {
		if (event.event === "reset") this.#beginAnew();
		if (event.event === "session_created" || event.event === "session_updated")
			this.#hear(JSON.parse(event.data) as Told);
	}

	/** The present state follows, whatever was received before. */
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
