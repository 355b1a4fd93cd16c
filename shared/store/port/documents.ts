/**
 * The documents of the store port. It offers the operations that services need and no query language. Every write is atomic,
 * and durable when its promise resolves. A change of a document and the events it causes are one write.
 * @example
 * ```ts
 * await store.insert(noteCollection, { id, wire: JSON.stringify(note), tenant, owner, rev: 1 });
 * const changed = await store.update(noteCollection, id, { equals: { rev: 1 } }, { set: { rev: 2 }, wire });
 * if (!changed) throw new ConflictError("The note has changed", "STALE");
 * ```
 */
import type { Collection, Columns, Document, Row } from "../collection.ts";

/** The condition of a write: values of at most four `text` or `integer` columns. */
export interface Guard<C extends Columns> {
	readonly equals?: Row<C>;
	/**
	 * The condition `column + plus <= limit`, e.g. spent + 5 <= budget. Both are integer columns; an absent one never
	 * fits.
	 */
	readonly fits?: { readonly column: keyof C & string; readonly plus: number; readonly limit: keyof C & string };
}

/**
 * The effect of a write on a document. `wire` replaces the text; columns that are not named stay; no column is named
 * twice.
 */
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

/** The persons who may see an event. Without an owner, everybody of the tenant may. */
export interface Audience {
	tenant: string;
	owner?: string;
}

/** An event on its way to the event log; without transactions it waits in the document that caused it. */
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
	/**
	 * The changes of the event to counters of its audience, by the counter's name; the service that writes the event
	 * chooses the names. Absent: none.
	 */
	counters?: Readonly<Record<string, number>>;
}

/** Bounds over the last index column: `from <= value <= to`. Absent means open. */
export interface Range {
	/** Values of the leading index columns, in order; of all columns when the last one is not ranged over. */
	readonly equals: readonly (string | number)[];
	readonly from?: string | number;
	readonly to?: string | number;
}

export interface Page {
	readonly limit: number;
	/** The value `next` of the preceding page. */
	readonly after?: string;
	/** Whether the largest value comes first. Default false. */
	readonly descending?: boolean;
}

/** The position and size of a page of documents, and the columns to return. */
export interface DocumentPage<C extends Columns> extends Page {
	/** The columns to return, beside the one that sorts; default all. */
	readonly columns?: readonly (keyof C & string)[];
	/**
	 * The bound of the documents' texts in bytes, counted as JSON strings: the page ends before it exceeds the bound,
	 * but has at least one document. Default no bound.
	 */
	readonly maxBytes?: number;
}

/** A page of versions; `column` is an integer column that grows with every change. */
export interface VersionPage<C extends Columns> extends Page {
	readonly column: keyof C & string;
}

export interface Found<C extends Columns> {
	documents: Document<C>[];
	/** The cursor of the next page; absent when there is none. */
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

export interface Appended {
	/** The count of inserted documents; they are the first ones of the batch. */
	inserted: number;
	/**
	 * The key that the first refused document collides with: `id` if it does, otherwise the name of a unique index.
	 * Absent when all were inserted.
	 */
	clash?: string;
}

/** Reads and writes of documents. Writes with an event that is too large (event-size.ts) are refused with {UnprocessableError}. */
export interface Documents {
	/** @throws {DuplicateKeyError} */
	insert<C extends Columns>(
		collection: Collection<C>,
		document: Document<C>,
		events?: readonly OutboxEntry[],
	): Promise<void>;
	/**
	 * Inserts in order and stops at the first collision; the documents before it stay. @throws {RangeError} for more
	 * than `maxAppended`.
	 */
	append<C extends Columns>(collection: Collection<C>, documents: readonly Document<C>[]): Promise<Appended>;
	/** Returns a document; undefined when there is none. @param columns The columns to return; default all. */
	get<C extends Columns>(
		collection: Collection<C>,
		id: string,
		columns?: readonly (keyof C & string)[],
	): Promise<Document<C> | undefined>;
	/**
	 * Returns the document after the change; undefined when there is none or the guard does not hold. @throws
	 * {DuplicateKeyError}
	 */
	update<C extends Columns>(
		collection: Collection<C>,
		id: string,
		guard: Guard<C>,
		change: Change<C>,
		events?: readonly OutboxEntry[],
	): Promise<Document<C> | undefined>;
	/**
	 * Returns documents in the order of a declared index. @throws {RangeError} when `after` is not a cursor of this
	 * store.
	 */
	find<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
		page: DocumentPage<C>,
	): Promise<Found<C>>;
	/**
	 * Returns one line `<id>:<value>` for each document that `find` would return. With a column that grows with every
	 * change, the text tells whether a page has changed without reading its documents. An absent value is empty.
	 */
	versions<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
		page: VersionPage<C>,
	): Promise<string>;
	count<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
	): Promise<number>;
	/** Removes a document; returns false when there is none or the guard does not hold. */
	remove<C extends Columns>(collection: Collection<C>, id: string, guard: Guard<C>): Promise<boolean>;
	/**
	 * Removes the documents that exist, in no particular order; after a failure some may remain. @throws {RangeError}
	 * for more than `maxRemoved`.
	 */
	removeMany(collection: Collection, ids: readonly string[]): Promise<void>;
}
