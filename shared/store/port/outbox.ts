/** The outbox of the store port: events that wait in the documents that caused them, or that a write enters into logs itself. */
import type { Collection, Columns, Document } from "../collection.ts";
import type { OutboxEntry, Range } from "./documents.ts";

/** A document with events that the relay has not moved yet. */
export interface OutboxDocument {
	id: string;
	entries: OutboxEntry[];
}

/** Reads and writes of one step inside a transaction. They are synchronous, and see what the transaction has written. */
export interface Transaction {
	/** @throws {DuplicateKeyError} */
	insert<C extends Columns>(collection: Collection<C>, document: Document<C>): void;
	/** Returns the document with the largest value in a range of an index; undefined when there is none. */
	last<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
	): Document<C> | undefined;
}

/** The events of one write, and the document that it has changed. */
export interface CausedEvents {
	readonly collection: Collection;
	readonly id: string;
	readonly events: readonly OutboxEntry[];
}

/** The logs that a store fills in the transaction of each write. None of the methods waits. */
export interface EventLogs {
	/** Enters the events of one write; when this throws, the store undoes the whole write. */
	enter(transaction: Transaction, caused: CausedEvents): void;
	/** A transaction begins. What was entered since the last `committed` is not stored. */
	begin(): void;
	/** Documents of a collection, perhaps of one of the logs, were appended by others in this transaction. */
	appended(collection: Collection): void;
	/** Everything that was entered is durable; called once for all writes of a transaction. */
	committed(): void;
}

/** Writes of several documents that are one transaction. Only a store for one process has them. */
export interface Transactions {
	/**
	 * The events of each later write are entered into these logs in its transaction, in the order in which the store
	 * makes the writes. No event may wait in an outbox then, because it would be overtaken.
	 */
	enterEvents(logs: EventLogs): Promise<void>;
	/** Runs a step in its turn; resolves when it is durable. When the step throws, nothing of it was written. */
	run<T>(step: (transaction: Transaction) => T): Promise<T>;
}

/** The events on their way from documents to the logs. */
export interface Outbox {
	/** Returns documents with waiting events, the longest waiting first. */
	outbox(collection: Collection, limit: number): Promise<OutboxDocument[]>;
	/** Whether events of a document wait; false when there is no such document. */
	isWaiting(collection: Collection, id: string): Promise<boolean>;
	/** Removes the events up to and including number `n` from the outbox; later ones stay. */
	trimOutbox(collection: Collection, id: string, n: number): Promise<void>;
	/** Absent: events wait in outboxes until a relay moves them into the logs. */
	readonly transactions?: Transactions | undefined;
}
