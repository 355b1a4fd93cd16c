/**
 * Moves events from the documents that caused them into the event log: in order and each exactly once, even when
 * processes die in between.
 * @example
 * ```ts
 * await store.insert(noteCollection, document, [event]);
 * relay.wake(); // the event is in the log soon after
 * ```
 */
import { every, sleep, type Timer } from "#shared/clock.ts";
import { failpoint } from "#shared/failpoints.ts";
import { RecurringJob } from "#shared/recurring-job.ts";
import { SingleFlight } from "#shared/single-flight.ts";
import type { Collection } from "#shared/store/collection.ts";
import type { DocumentStore, OutboxDocument } from "#shared/store/document-store.ts";
import type { EventLog, KeyedEntry } from "./event-log.ts";

/** The interval of the poll, which finds events that a dead process has left in outboxes. */
const pollMs = 1_000;
const trimMs = 60_000;
const batch = 100;

/** The relay of one process. The program that starts it stops it before the store is closed. */
export class OutboxRelay {
	readonly #store: DocumentStore;
	readonly #log: EventLog;
	readonly #collections: readonly Collection[];
	readonly #listeners: ((seq: number) => void)[] = [];
	readonly #readers: (() => Promise<void>)[] = [];
	readonly #trimming: RecurringJob;
	readonly #moves: SingleFlight;
	#poll: Timer | undefined;
	#stopped = false;

	/**
	 * @param collections The collections whose events are moved, in this order.
	 * @param onError Receives the reason why events wait; they are moved as soon as possible.
	 */
	constructor(
		store: DocumentStore,
		log: EventLog,
		collections: readonly Collection[],
		onError: (error: unknown) => void,
	) {
		this.#store = store;
		this.#log = log;
		this.#collections = collections;
		this.#moves = new SingleFlight(() => this.#moveAll(), onError);
		this.#trimming = new RecurringJob({ everyMs: trimMs, work: () => this.#trimLog(), onError });
	}

	/** Calls the listener with the newest sequence number after every move. */
	onAppended(listener: (seq: number) => void): void {
		this.#listeners.push(listener);
	}

	/** Registers a reader of old entries: they are trimmed only after `read` has resolved. */
	beforeTrim(read: () => Promise<void>): void {
		this.#readers.push(read);
	}

	start(): void {
		this.#poll = every(pollMs, () => this.wake());
		this.#trimming.start();
		this.wake();
	}

	/**
	 * Starts a move because an event was written, and returns at once. Calls during a move lead to one further move.
	 */
	wake(): void {
		if (!this.#stopped) this.#moves.request();
	}

	/** Resolves when all events written by this process before the call are in the log, or after `ms`. */
	async drained(ms: number): Promise<void> {
		if (!this.#moves.isRunning) return;
		const patience = new AbortController();
		await Promise.race([this.#moves.settled(), sleep(ms, patience.signal)]);
		patience.abort();
	}

	/** Ends the polling and resolves when a move under way has finished. */
	async stop(): Promise<void> {
		this.#stopped = true;
		this.#poll?.cancel();
		await Promise.all([this.#trimming.stop(), this.#moves.settled()]);
	}

	async #trimLog(): Promise<void> {
		await Promise.all(this.#readers.map((read) => read()));
		await this.#log.trim();
	}

	async #moveAll(): Promise<void> {
		for (const collection of this.#collections) await this.#move(collection);
	}

	async #move(collection: Collection): Promise<void> {
		const documents = await this.#store.outbox(collection, batch);
		const entries = documents.flatMap((document) => timed(collection, document)).sort(byTime);
		if (entries.length === 0) return;
		const seq = await this.#log.append(entries);
		failpoint("relay.appended");
		await Promise.all(documents.map((document) => this.#trim(collection, document)));
		for (const listener of this.#listeners) listener(seq);
		if (documents.length === batch) this.#moves.request();
	}

	#trim(collection: Collection, { id, entries }: OutboxDocument): Promise<void> {
		return this.#store.trimOutbox(collection, id, Math.max(...entries.map(({ n }) => n)));
	}
}

interface TimedEntry extends KeyedEntry {
	/** The time of the event, or that of the document's preceding entry when that is later. */
	readonly time: number;
}

/**
 * Returns the entries with times that never decrease within a document, because the clocks of two writers of a document
 * may differ.
 */
function timed(collection: Collection, { id, entries }: OutboxDocument): TimedEntry[] {
	let time = -Infinity;
	return entries.map((entry) => {
		time = Math.max(time, entry.at);
		return { key: `${collection.name}:${id}:${entry.n}`, entry, time };
	});
}

/** Compares by time. Entries of one document keep their order: the sort is stable and their times do not decrease. */
function byTime(a: TimedEntry, b: TimedEntry): number {
	return a.time - b.time;
}
