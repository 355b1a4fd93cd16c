/**
 * Port: where documents are kept. It is what the services ask for, not a query language. Every write is atomic,
 * and durable when its promise resolves. Writes of one document and the events they cause are one write.
 */
import type { Collection, Columns, Document, Row } from "./collection.ts";

/** What must hold of a document for a write to happen: values of at most four `text` or `integer` columns. */
export interface Guard<C extends Columns> {
	readonly equals?: Row<C>;
	/** `column + plus <= limit`, e.g. spent + 5 <= budget. Both are integer columns; an absent one never fits. */
	readonly fits?: { readonly column: keyof C & string; readonly plus: number; readonly limit: keyof C & string };
}

/** What a write does to a document. `wire` replaces the text; columns not named stay; none is named twice. */
export interface Change<C extends Columns> {
	readonly wire?: string;
	readonly set?: Row<C>;
	readonly unset?: readonly (keyof C & string)[];
	/** Adds to integer columns, but not to those of a unique index; an absent one counts as 0. */
	readonly inc?: { readonly [K in keyof C]?: number };
	/** Appends one value to a json column that is a list; an absent one counts as empty. */
	readonly push?: Row<C>;
	/** Removes the members of a list whose `n` is not greater than the number given. */
	readonly pull?: { readonly [K in keyof C]?: number };
}

/** Who may see an event. An absent owner means everybody of the tenant. */
export interface Audience {
	tenant: string;
	owner?: string;
}

/** An event on its way to the event log, waiting in the document that caused it. */
export interface OutboxEntry {
	/** Counts the events of one document from 1; the caller gives it (it knows the document it guards). */
	n: number;
	/** Name clients see, e.g. `session_updated`. */
	type: string;
	/** JSON text of the payload. */
	data: string;
	audience: Audience;
	/** Milliseconds since 1970. */
	at: number;
	/** By how much the event changes numbers that its audience has; a name belongs to the service that writes it. Absent: none. */
	counters?: Readonly<Record<string, number>>;
}

/** A document with events that no relay has taken away yet. */
export interface OutboxDocument {
	id: string;
	entries: OutboxEntry[];
}

/** Bounds over the last index column: `from <= value <= to`. Absent means open. */
export interface Range {
	/** Values of the leading index columns, in order; of all columns when the last one is not ranged over. */
	readonly equals: readonly (string | number)[];
	readonly from?: string | number;
	readonly to?: string | number;
}

export interface Page {
	/** Most documents to return. */
	readonly limit: number;
	/** Where the page before ended (`next`). */
	readonly after?: string;
	/** Largest first. Default false. */
	readonly descending?: boolean;
}

/** Which documents, and what of them. */
export interface DocumentPage<C extends Columns> extends Page {
	/** Default all. */
	readonly columns?: readonly (keyof C & string)[];
	/**
	 * Bytes of the documents' texts as they stand in a message, each a JSON string: the page ends before it has more, but
	 * has one document at least. Default no bound.
	 */
	readonly maxBytes?: number;
}

export interface VersionPage<C extends Columns> extends Page {
	readonly column: keyof C & string;
}

export interface Found<C extends Columns> {
	documents: Document<C>[];
	/** Where the next page begins; absent when there is none. */
	next?: string;
}

/** Two documents claim the same id or the same values of a unique index. */
export class DuplicateKeyError extends Error {
	override readonly name = "DuplicateKeyError";
	/** `id`, or the name of the unique index. */
	readonly key: string;

	constructor(collection: string, key: string) {
		super(`Cannot insert into "${collection}": "${key}" is taken`);
		this.key = key;
	}
}

/** Most documents of one ordered insert. */
export const maxAppended = 500;

/** Most documents that are removed at once. */
export const maxRemoved = 500;

/** Why an ordered insert stopped before its end. */
export interface Appended {
	/** How many documents of the batch are in; they are the first ones. */
	inserted: number;
	/** What the first one that is not in clashed with: `id` if it did, else the name of a unique index. Absent when all are in. */
	clash?: string;
}

/** Writes with an event that is too large (event-size.ts) are refused: {UnprocessableError}. */
export interface DocumentStore {
	/** Whether several processes may have it open at once. */
	readonly isShared: boolean;
	/** Opens the store and makes its collections and indexes. Call once, first. @throws when another process has it. */
	open(collections: readonly Collection[]): Promise<void>;
	/** @throws {DuplicateKeyError} */
	insert<C extends Columns>(
		collection: Collection<C>,
		document: Document<C>,
		events?: readonly OutboxEntry[],
	): Promise<void>;
	/** Inserts in order and stops at the first clash; those before it stay. @throws {RangeError} for more than `maxAppended`. */
	append<C extends Columns>(collection: Collection<C>, documents: readonly Document<C>[]): Promise<Appended>;
	/** Undefined when there is no such document. @param columns Only these; default all. */
	get<C extends Columns>(
		collection: Collection<C>,
		id: string,
		columns?: readonly (keyof C & string)[],
	): Promise<Document<C> | undefined>;
	/** The document after the change; undefined when there is none or the guard does not hold. @throws {DuplicateKeyError} */
	update<C extends Columns>(
		collection: Collection<C>,
		id: string,
		guard: Guard<C>,
		change: Change<C>,
		events?: readonly OutboxEntry[],
	): Promise<Document<C> | undefined>;
	/** Documents of one declared index, in its order. @throws {RangeError} when `after` is not a cursor of this store. */
	find<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
		page: DocumentPage<C>,
	): Promise<Found<C>>;
	/**
	 * What `find` would give, as one line `<id>:<value>` for each: enough to tell whether a page is still as it was,
	 * without reading it, by an integer column that grows with every change of a document. An absent value is empty.
	 */
	versions<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
		page: VersionPage<C>,
	): Promise<string>;
	/** How many documents an index has in a range. */
	count<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
	): Promise<number>;
	/** Whether a document was removed; false when there is none or the guard does not hold. */
	remove<C extends Columns>(collection: Collection<C>, id: string, guard: Guard<C>): Promise<boolean>;
	/** Removes those that are there, in no order; when it fails some may be left. @throws {RangeError} for more than `maxRemoved`. */
	removeMany(collection: Collection, ids: readonly string[]): Promise<void>;
	/** Documents with waiting events, the longest waiting first. */
	outbox(collection: Collection, limit: number): Promise<OutboxDocument[]>;
	/** Whether events of a document wait; false when there is none. */
	isWaiting(collection: Collection, id: string): Promise<boolean>;
	/** Takes away the events up to and including number `n`; later ones stay. */
	trimOutbox(collection: Collection, id: string, n: number): Promise<void>;
	/** Resolves when the store answers; for readiness. @throws when it does not. */
	ping(): Promise<void>;
	/** Finishes writes under way. Safe to call twice. */
	close(): Promise<void>;
}

/** The methods an adapter must have. */
export const documentStoreMethods = [
	"open",
	"insert",
	"append",
	"get",
	"update",
	"find",
	"versions",
	"count",
	"remove",
	"removeMany",
	"outbox",
	"isWaiting",
	"trimOutbox",
	"ping",
	"close",
] as const;
