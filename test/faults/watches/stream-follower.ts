/** Follows the event stream across restarts and stores the state of each session. */
import type { StreamEvent } from "../../../cli/event-stream.ts";
import { EventFollower, type EventFollowerOptions } from "../../support/clients/event-follower.ts";
import type { Overheard } from "./overheard.ts";

interface Told {
	/** Revisions are counted, so that a missing or duplicate event shows. */
	rev: number;
	status: string;
}

interface SessionEvent extends Told {
	id: string;
	generation: number;
}

export class StreamFollower {
	readonly #overheard: Overheard;
	/** The sessions by id; a deleted one is absent. */
	readonly told = new Map<string, Told>();
	/** The launches that were published, as `<session> <generation>`. */
	readonly launches = new Set<string>();
	readonly wrong: string[] = [];
	events = 0;
	readonly #follower: EventFollower;

	constructor(from: Omit<EventFollowerOptions, "take">, overheard: Overheard) {
		this.#overheard = overheard;
		this.#follower = new EventFollower({ ...from, take: (event) => this.#take(event) });
	}

	get connections(): number {
		return this.#follower.connections;
	}

	/** Whether the follower has a position to continue from. */
	get hasPlace(): boolean {
		return this.#follower.hasPlace;
	}

	stop(): Promise<void> {
		return this.#follower.stop();
	}

	#take(event: StreamEvent): void {
		this.events++;
		this.#overheard.hear(event.data);
		if (event.event === "reset") this.wrong.push(`The stream was reset: ${event.data}`);
		if (event.event === "session_deleted") this.told.delete(parsed(event).id);
		if (event.event === "session_activity") this.#hearOfActivity(event);
		if (event.event === "session_created" || event.event === "session_updated") this.#hear(event);
	}

	/** Checks that every revision comes once and in order. */
	#hear(event: StreamEvent): void {
		const { id, rev, status, generation } = parsed(event);
		this.launches.add(`${id} ${generation}`);
		const before = this.told.get(id)?.rev ?? 0;
		if (rev !== before + 1) this.wrong.push(`${id}: revision ${rev} after ${before}`);
		this.told.set(id, { rev, status });
	}

	/** A deletion is a revision too, although it has no number. */
	#hearOfActivity({ data }: StreamEvent): void {
		const { session_id } = JSON.parse(data) as { session_id: string };
		const told = this.told.get(session_id);
		if (told) told.rev++;
	}
}

function parsed({ data }: StreamEvent): SessionEvent {
	return JSON.parse(data) as SessionEvent;
}
