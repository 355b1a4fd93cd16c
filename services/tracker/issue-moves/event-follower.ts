/**
 * Follows the event log and notes moves of issues. The place in the log is stored after what was noted, so that a
 * process that dies in between notes it again, under the same ids. While nothing is noted it is stored once a second, so
 * that a process that dies reads the events of a second again.
 */
import { monotonic } from "#shared/base/clock.ts";
import type { LogEntry, LogHead } from "#shared/contracts/event-log.ts";
import type { EventLog } from "#shared/store/event-log/event-log.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { followedCollection } from "./move-collection.ts";

const placeId = "place";
const pageSize = 500;
/** The time between two writes of the place while nothing is noted, in milliseconds. */
const storeMs = 1_000;

interface LogPosition {
	readonly epoch: string;
	readonly seq: number;
}

/** The follower of one process; several may follow at once. */
export class EventFollower {
	readonly #store: Documents;
	readonly #log: EventLog;
	readonly #note: (entry: LogEntry) => Promise<boolean>;
	readonly #passes = new SingleFlight(() => this.#pass());
	/** The place of this process; the stored one may be behind it. */
	#place: LogPosition | undefined;
	#storedAt = -Infinity;

	/**
	 * @param note Notes what follows from an event, and resolves with whether that was anything; it may get an event twice.
	 */
	constructor(store: Documents, log: EventLog, note: (entry: LogEntry) => Promise<boolean>) {
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

	/** Stores the place when nothing is being noted, for the process that follows after this one. */
	async close(): Promise<void> {
		await this.#passes.settled();
		if (this.#place) await this.#advance(await this.#stored(), this.#place);
	}

	async #pass(): Promise<void> {
		const head = await this.#log.head();
		const stored = await this.#stored();
		let place = further(beginning(stored, head), this.#place);
		let isNoted = false;
		while (place.seq < head.seq) {
			const entries = await this.#log.read(place.seq, pageSize);
			for (const entry of entries) isNoted = (await this.#note(entry)) || isNoted;
			const last = entries.at(-1)?.seq;
			// There is nothing while a gap is being filled.
			if (last === undefined) break;
			place = { epoch: head.epoch, seq: last };
		}
		this.#place = place;
		if (isNoted || monotonic() - this.#storedAt >= storeMs) await this.#advance(stored, place);
	}

	async #stored(): Promise<LogPosition> {
		return placeOf(await this.#store.get(followedCollection, placeId));
	}

	/** Stores a place, unless another process has stored one meanwhile: it has noted the same. */
	async #advance(from: LogPosition, to: LogPosition): Promise<void> {
		if (from.epoch !== to.epoch || from.seq < to.seq)
			await this.#store.update(followedCollection, placeId, { equals: { ...from } }, { set: { ...to } });
		this.#storedAt = monotonic();
	}
}

function placeOf(document: Partial<LogPosition> | undefined): LogPosition {
	const { epoch = "", seq = 0 } = document ?? {};
	return { epoch, seq };
}

/** Events of another log, and those that were trimmed before they were read, leave their place to the oldest one. */
function beginning({ epoch, seq }: LogPosition, head: LogHead): LogPosition {
	const isSame = epoch === head.epoch && seq <= head.seq;
	return { epoch: head.epoch, seq: isSame ? Math.max(seq, head.oldest - 1) : head.oldest - 1 };
}

/** Returns the place of this process when it is in the same log and further. */
function further(place: LogPosition, own: LogPosition | undefined): LogPosition {
	return own && own.epoch === place.epoch && own.seq > place.seq ? own : place;
}
