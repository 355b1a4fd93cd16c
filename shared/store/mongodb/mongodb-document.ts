/** Converts documents to the form in MongoDB: columns beside `_id` and `wire`, and waiting events in `_outbox`. */
import type { Collection, Columns, Document } from "../collection.ts";
import { isKey } from "../column-rules.ts";
import type { OutboxEntry } from "../port/documents.ts";
import { gramFields } from "./mongodb-grams.ts";

export interface StoredDocument {
	_id: string;
	wire: string;
	_outbox?: OutboxEntry[];
	/** The time since which the first event waits, in milliseconds since 1970. */
	_outbox_since?: number;
	/** The mark of the newest write; absent: nothing has been written since the insertion. */
	_write?: string;
	[column: string]: unknown;
}

/**
 * Returns the value for a column of a unique index that the document lacks. MongoDB treats an absent value like any
 * other, so two documents without one would collide; this value is unique, and no guard or range matches it.
 */
export function absentKey(id: string): { absent: string } {
	return { absent: id };
}

export function storedDocument(
	collection: Collection,
	{ id, ...members }: Document<Columns>,
	events: readonly OutboxEntry[],
): StoredDocument {
	const absent = Object.keys(collection.columns).filter((column) => isKey(collection, column));
	const [first] = events;
	return {
		_id: id,
		...Object.fromEntries(absent.map((column) => [column, absentKey(id)])),
		...members,
		...gramFields(collection, members),
		...(first && { _outbox: [...events], _outbox_since: first.at }),
	};
}

export function documentOf<C extends Columns>(collection: Collection<C>, stored: StoredDocument): Document<C> {
	const document: Record<string, unknown> = { id: stored._id, wire: stored.wire };
	for (const [column, type] of Object.entries(collection.columns)) {
		const value = stored[column];
		const absent = value === undefined || (type !== "json" && typeof value === "object");
		if (!absent) document[column] = value;
	}
	// Only this store writes to the collection, and it checks what it writes against these columns.
	return document as Document<C>;
}

/** Returns the option by which only these columns are read. Trigrams are not read; they may be larger than the document. */
export function projectionOf(
	{ searched, columns: all }: Collection,
	columns: readonly string[] | undefined = searched && Object.keys(all),
): { projection?: Record<string, 1> } {
	return columns ? { projection: Object.fromEntries(["wire", ...columns].map((name) => [name, 1])) } : {};
}
