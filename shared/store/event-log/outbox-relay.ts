/**
 * Moves events from the documents that caused them into the event log, and their audit entries into the audit log: in
 * order and each exactly once, even when processes die in between. Of several processes, the one with the lease moves the
 * events of all; the others wake it. A store for one process enters the events itself (transaction-logs.ts): the relay then
 * moves only what waits at the start, and announces what is entered. Two that move at once are slow and still correct, because the logs know each event by
 * its key.
 */
import { auditType, draftOf } from "../audit/audited-store.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { every, sleep, type Timer } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { Leadership } from "../leases/leadership.ts";
import type { Leases } from "../leases/leases.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { Collection } from "../collection.ts";
import type { DocumentStore } from "../document-store.ts";
import type { OutboxDocument, Transactions } from "../port/outbox.ts";
import { writtenTogether } from "./written-together.ts";
import { entryKey, type EventLog, type KeyedEntry } from "./event-log.ts";
import { LogReaders } from "./log-readers.ts";
import { relayLease } from "./relay-lease.ts";
import { TransactionLogs } from "./transaction-logs.ts";

/** The interval of the poll, which finds events that a dead process has left in outboxes. */
const pollMs = 1_000;
const trimMs = 60_000;
/** The log is also trimmed after so many new entries, so that it is never much larger than its bounds. */
const trimEntries = 5_000;
const batch = 100;
/** The most entries of one document in a move, so that those of others do not wait for all of them. */
const maxOfDocument = 20;

/** The shortest interval of hints to the process that moves the events, in milliseconds. */
const hintMs = 5;

export interface Logs {
	readonly events: EventLog;
	readonly audit: AuditLog;
}

/** The relay of one process. The program that starts it stops it before the store is closed. */
export class OutboxRelay {
	readonly #store: DocumentStore;
	readonly #logs: Logs;
	readonly #collections: readonly Collection[];
	readonly #listeners: (() => void)[] = [];
	readonly #moveListeners: ((seq: number) => void)[] = [];
	readonly #hintListeners: ((all: boolean) => void)[] = [];
	readonly #readers: LogReaders;
	readonly #trimming: RecurringJob;
	readonly #moves: SingleFlight;
	readonly #hints: SingleFlight;
	readonly #onError: (error: unknown) => void;
	/** Undefined in a process that has its store for itself, which always moves. */
	#leadership: Leadership | undefined;
	#announced = 0;
	/** The newest number when the log was trimmed last; undefined before the first one. */
	#trimmed: number | undefined;
	#poll: Timer | undefined;
	/** Whether the next move is one of the poll, which looks into the collections without events too. */
	#isPoll = false;
	#stopped = false;
	/** Whether the store enters events into the logs itself, so that none waits. */
	#isReplaced = false;

	/**
	 * @param collections The collections whose events and audit entries are moved, in this order.
	 * @param onError Receives the reason why events wait; they are moved as soon as possible.
	 */
	constructor(store: DocumentStore, logs: Logs, collections: readonly Collection[], onError: (error: unknown) => void) {
		this.#store = store;
		this.#logs = logs;
		this.#collections = collections;
		this.#onError = onError;
		this.#readers = new LogReaders(store, logs.events);
		this.#moves = new SingleFlight(() => this.#moveAll(), onError);
		this.#hints = new SingleFlight(() => this.#hint());
		this.#trimming = new RecurringJob({ everyMs: trimMs, work: () => this.#trimLog(), onError });
	}

	/** Shares the work with the relays of other processes: from its start on, only the one with the lease moves. */
	share(leases: Leases): void {
		const name = relayLease(this.#collections);
		this.#leadership = new Leadership({ leases, name, onLead: () => this.wakeAll(), onError: this.#onError });
	}

	/**
	 * Moves what waits, e.g. after a restore, and leaves the rest to the store, which enters later events itself. The caller
	 * awaits this before it starts anything that writes. @throws when something still waits.
	 */
	async replaceBy(transactions: Transactions): Promise<void> {
		for (const collection of this.#collections) while ((await this.#move(collection)) === batch);
		this.#isReplaced = true;
		this.#logs.audit.enterIn(transactions);
		await transactions.enterEvents(new TransactionLogs(this.#logs.audit.chains, (seq) => this.#announce(seq)));
	}

	/** Whether this process moves events; otherwise another one does. */
	get isLeading(): boolean {
		return this.#leadership?.isLeading ?? true;
	}

	/** Whether somebody in this process wants to know of moves, also of those of other processes. */
	get isFollowed(): boolean {
		return this.#listeners.length > 0;
	}

	/** Calls the listener after every move, also after those of other processes. */
	onAppended(listener: () => void): void {
		this.#listeners.push(listener);
	}

	/** Calls the listener with the newest sequence number after every move of this process. */
	onMoved(listener: (seq: number) => void): void {
		this.#moveListeners.push(listener);
	}

	/**
	 * Calls the listener when the process that moves has to be told that events were written here.
	 * @param listener Its argument says whether the process must also look into the collections without events.
	 */
	onHint(listener: (all: boolean) => void): void {
		this.#hintListeners.push(listener);
	}

	/**
	 * Registers a reader of old entries: they are trimmed only after `read` has resolved, whichever process trims.
	 * @param name Identifies what is read; it is the same in all processes.
	 */
	beforeTrim(name: string, read: () => Promise<void>): void {
		this.#readers.add(name, read);
	}

	start(): void {
		this.#trimming.start();
		if (this.#isReplaced) return;
		this.#leadership?.start();
		this.#poll = every(pollMs, () => this.#lookAgain());
		this.#lookAgain();
	}

	/**
	 * Begins in a process that never moves and is told over the bus of what others have moved: it only gives hints, and lets
	 * its readers read. The work must be shared.
	 */
	follow(): void {
		this.#trimming.start();
	}

	/** Starts a move because an event was written, and returns at once. Calls during a move lead to one further move. */
	wake(): void {
		if (this.#stopped || this.#isReplaced) return;
		if (this.isLeading) this.#moves.request();
		else this.#hints.request();
	}

	/** Starts a move that also looks into the collections whose documents have audit entries and no events. */
	wakeAll(): void {
		this.#isPoll = true;
		this.wake();
	}

	/** Starts a move because another process wrote events; does nothing unless this process moves. */
	hinted(all: boolean): void {
		if (!this.isLeading) return;
		if (all) this.wakeAll();
		else this.wake();
	}

	/** Tells the listeners that another process has moved events. */
	movedElsewhere(seq: number): void {
		// A broadcast comes back to its sender.
		if (seq !== this.#announced) for (const listener of this.#listeners) listener();
	}

	/** Resolves when no move is under way or due in this process. */
	settled(): Promise<void> {
		return this.#moves.settled();
	}

	/** Ends the polling, and resolves when a move under way has finished and another process can lead. */
	async stop(): Promise<void> {
		this.#stopped = true;
		this.#poll?.cancel();
		await Promise.all([this.#trimming.stop(), this.#moves.settled(), this.#hints.settled()]);
		await this.#leadership?.stop();
	}

	#lookAgain(): void {
		if (this.isLeading) this.wakeAll();
	}

	/** Tells the process that moves, and leaves time for further events, which the next hint is for. */
	async #hint(): Promise<void> {
		const all = this.#isPoll;
		this.#isPoll = false;
		for (const listener of this.#hintListeners) listener(all);
		await sleep(hintMs);
	}

	/** Reads what is read in this process, and removes what has been read in all processes. */
	async #trimLog(): Promise<void> {
		await this.#readers.read();
		if (this.isLeading) await this.#logs.events.trim(await this.#readers.floor());
	}

	async #moveAll(): Promise<void> {
		const isPoll = this.#isPoll;
		this.#isPoll = false;
		for (const collection of this.#collections) {
			if (!this.isLeading) return;
			if (!isPoll && !collection.hasOutbox) continue;
			if ((await this.#move(collection)) < batch) continue;
			// Only a poll looks into a collection without events.
			this.#isPoll ||= !collection.hasOutbox;
			this.#moves.request();
		}
	}

	/** Moves what waits in a batch of documents; returns their count, and that of a full batch when entries are left. */
	async #move(collection: Collection): Promise<number> {
		const found = await this.#store.outbox(collection, batch);
		const documents = found.map(({ id, entries }) => ({ id, entries: entries.slice(0, maxOfDocument) }));
		const entries = documents.flatMap((document) => timed(collection, document)).sort(byTime);
		if (entries.length === 0) return 0;
		const audited = entries.filter(({ entry }) => entry.type === auditType);
		const events = audited.length === 0 ? entries : entries.filter(({ entry }) => entry.type !== auditType);
		const drafts = audited.map(({ key, entry }) => draftOf(key, entry));
		await writtenTogether([
			...(events.length > 0 ? [this.#append(events)] : []),
			...(drafts.length > 0 ? [this.#logs.audit.append(drafts)] : []),
		]);
		failpoint("relay.appended");
		await Promise.all(documents.map((document) => this.#trim(collection, document)));
		const isLeft = found.some(({ entries }) => entries.length > maxOfDocument);
		return isLeft ? batch : documents.length;
	}

	async #append(events: readonly KeyedEntry[]): Promise<void> {
		this.#announce(await this.#logs.events.append(events));
	}

	#announce(seq: number): void {
		this.#announced = seq;
		this.#trimmed ??= seq;
		if (seq - this.#trimmed >= trimEntries && !this.#stopped) {
			this.#trimmed = seq;
			this.#trimming.runNow();
		}
		for (const listener of this.#moveListeners) listener(seq);
		for (const listener of this.#listeners) listener();
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
		return { key: entryKey(collection, id, entry.n), entry, time };
	});
}

/** Compares by time. Entries of one document keep their order: the sort is stable and their times do not decrease. */
function byTime(a: TimedEntry, b: TimedEntry): number {
	return a.time - b.time;
}
