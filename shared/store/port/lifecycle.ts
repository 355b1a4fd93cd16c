/** The life of a store: its opening and end, and what is said of it as a whole. */
import type { Collection, Columns, Document } from "../collection.ts";
import type { Documents, OutboxEntry } from "./documents.ts";
import type { Fence } from "./fence.ts";

/** A document with the events that wait in it. */
export interface WholeDocument<C extends Columns = Columns> {
	readonly document: Document<C>;
	readonly events: readonly OutboxEntry[];
}

/** All documents as they are at one moment, whatever is written later. The caller closes it. */
export interface StoreSnapshot {
	/** Every write that was acknowledged before this time is in it; in milliseconds since 1970, by the clock of this process. */
	readonly since: number;
	/** Reads the documents of a collection in the order of their ids' bytes in UTF-8, a few at a time. */
	documents<C extends Columns>(collection: Collection<C>): AsyncIterable<WholeDocument<C>>;
	close(): Promise<void>;
}

/** The program that starts the process opens and closes the store. */
export interface Lifecycle {
	/** Whether several processes may open the store at once. */
	readonly isShared: boolean;
	/** Where the documents of a shared store are, in words without passwords, e.g. `database "atelier" on "db1:27017"`. */
	readonly place?: string;
	/**
	 * Opens the store and creates its collections and indexes. Call this once, before all other methods. @throws when
	 * another process has opened a store that is not shared.
	 */
	open(collections: readonly Collection[]): Promise<void>;
	/**
	 * Takes a snapshot, also without `open`: a store that is not shared is then asked of the process that has opened it.
	 * @throws {ConflictError} when no snapshot can be had; the sentence says why.
	 */
	snapshot(): Promise<StoreSnapshot>;
	/** Resolves when the store answers; `/ready` uses it. @throws when it does not answer. */
	ping(): Promise<void>;
	/** Returns the time of the server in milliseconds since 1970; absent: the store is in this process. */
	time?(): Promise<number>;
	/**
	 * Returns the documents for one writer: each of its writes happens only while the document of the fence is as it says, and
	 * rejects with {FenceLostError} otherwise, also when it reaches the store late. A batch is written as a whole then, or not at
	 * all. Absent: the store has no such writes.
	 */
	fenced?(fence: Fence): Documents;
	/** Finishes writes under way. Safe to call twice. */
	close(): Promise<void>;
}
