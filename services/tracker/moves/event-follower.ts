/**
 * Follows the event log and notes moves of issues. The place in the log is stored after what was noted, so that a
 * process that dies in between notes it again, under the same ids.
 */
import type { LogEntry, LogHead } from "#shared/contracts/event-log.ts";
import type { EventLog } from "#shared/event-log/event-log.ts";
import { SingleFlight } from "#shared/single-flight.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { followedCollection } from "./move-collection.ts";

const placeId = "place";
const pageSize = 500;

interface Place {
	readonly epoch: string;
	readonly seq: number;
}

/** The follower of one process; several may follow at once. */
export class EventFollower {
	readonly #store: DocumentStore;
	readonly #log: EventLog;
	readonly #note: (entry: LogEntry) => Promise<void>;
	readonly #passes = new SingleFlight(() => this.#pass());

	/** @param note Notes what follows from an event; it may get an event twice. */
	constructor(store: DocumentStore, log: EventLog, note: (entry: LogEntry) => Promise<void>) {
		this.#store = store;
		this.#log = log;
		this.#note = note;
	}

	/** Stores the present end of the log as the place to begin at, when no process has followed it yet. */
	async open(): Promise<void> {
		if (await this.#store.get(followedCollection, placeId)) return;
		const { epoch, seq } = await this.#log.head();
		await insertOnce(() => this.#store.insert(followedCollection, { id: placeId, wire: "{}", epoch, seq }));
	}

	/** Notes what follows from the events since the last call. */
	follow(): Promise<void> {
		return this.#passes.run();
	}

	/** Resolves when nothing is being noted. */
	settled(): Promise<void> {
		return this.#passes.settled();
	}

	async #pass(): Promise<void> {
		const head = await this.#log.head();
		let stored = placeOf(await this.#store.get(followedCollection, placeId));
		let place = beginning(stored, head);
		while (place.seq < head.seq) {
			const entries = await this.#log.read(place.seq, pageSize);
			for (const entry of entries) await this.#note(entry);
			const last = entries.at(-1)?.seq;
			// There is nothing while a gap is being filled.
			if (last === undefined) return;
			place = { epoch: head.epoch, seq: last };
			// Another process that follows may be further; both have noted the same.
			if (!(await this.#advance(stored, place))) return;
			stored = place;
		}
	}

	async #advance(from: Place, to: Place): Promise<boolean> {
		return Boolean(await this.#store.update(followedCollection, placeId, { equals: { ...from } }, { set: { ...to } }));
	}
}

function placeOf(document: Partial<Place> | undefined): Place {
	const { epoch = "", seq = 0 } = document ?? {};
	return { epoch, seq };
}

/** Events of another log, and those that were trimmed before they were read, leave their place to the oldest one. */
function beginning({ epoch, seq }: Place, head: LogHead): Place {
	const isSame = epoch === head.epoch && seq <= head.seq;
	return { epoch: head.epoch, seq: isSame ? Math.max(seq, head.oldest - 1) : head.oldest - 1 };
}
