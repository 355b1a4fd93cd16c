/**
 * Moves events from the documents that caused them into the event log, and their audit entries into the audit log: in
 * order and each exactly once, even when processes die in between.
 * @example
 * ```ts
 * await store.insert(noteCollection, document, [event]);
 * relay.wake(); // the event is in the log soon after
 * ```
 */
import { auditType, draftOf } from "#shared/audit/audited-store.ts";
import type { AuditLog } from "#shared/audit/audit-log.ts";
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

/** The two logs of the platform. */
export interface Logs {
	readonly events: EventLog;
	readonly audit: AuditLog;
}

/** The relay of one process. The program that starts it stops it before the store is closed. */
export class OutboxRelay {
	readonly #store: DocumentStore;
	readonly #logs: Logs;
	readonly #collections: readonly Collection[];
	readonly #listeners: ((seq: number) => void)[] = [];
	readonly #readers: (() => Promise<void>)[] = [];
	readonly #trimming: RecurringJob;
	readonly #moves: SingleFlight;
	#poll: Timer | undefined;
	/** Whether the next move is one of the poll, which looks into the collections without events too. */
	#isPoll = false;
	#stopped = false;

	/**
	 * @param collections The collections whose events and audit entries are moved, in this order.
	 * @param onError Receives the reason why events wait; they are moved as soon as possible.
	 */
	constructor(store: DocumentStore, logs: Logs, collections: readonly Collection[], onError: (error: unknown) => void) {
		this.#store = store;
		this.#logs = logs;
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
		this.#poll = every(pollMs, () => this.wakeAll());
		this.#trimming.start();
		this.wakeAll();
	}

	/**
	 * Starts a move because an event was written, and returns at once. Calls during a move lead to one further move.
	 */
	wake(): void {
		if (!this.#stopped) this.#moves.request();
	}

	/** Starts a move that also looks into the collections whose documents have audit entries and no events. */
	wakeAll(): void {
		this.#isPoll = true;
		this.wake();
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
		await this.#logs.events.trim();
	}

	async #moveAll(): Promise<void> {
		const isPoll = this.#isPoll;
		this.#isPoll = false;
		for (const collection of this.#collections) if (isPoll || collection.hasOutbox) await this.#move(collection);
	}

	async #move(collection: Collection): Promise<void> {
		const documents = await this.#store.outbox(collection, batch);
		const entries = documents.flatMap((document) => timed(collection, document)).sort(byTime);
		if (entries.length === 0) return;
		const audited = entries.filter(({ entry }) => entry.type === auditType);
		const events = audited.length === 0 ? entries : entries.filter(({ entry }) => entry.type !== auditType);
		if (events.length > 0) await this.#announce(events);
		if (audited.length > 0) await this.#logs.audit.append(audited.map(({ key, entry }) => draftOf(key, entry)));
		failpoint("relay.appended");
		await Promise.all(documents.map((document) => this.#trim(collection, document)));
		if (documents.length === batch) this.#moves.request();
	}

	/** Appends events to the event log, and tells the listeners. */
	async #announce(events: readonly KeyedEntry[]): Promise<void> {
		const seq = await this.#logs.events.append(events);
		for (const listener of this.#listeners) listener(seq);
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
