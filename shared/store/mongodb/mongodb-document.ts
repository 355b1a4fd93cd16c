/** A document as MongoDB keeps it: columns beside `_id` and `wire`, waiting events in `_outbox`. */
import type { Collection, Columns, Document } from "../collection.ts";
import { isKey } from "../column-rules.ts";
import type { OutboxEntry } from "../document-store.ts";

export interface StoredDocument {
	_id: string;
	wire: string;
	_outbox?: OutboxEntry[];
	/** When the first of them began to wait. */
	_outbox_since?: number;
	[column: string]: unknown;
}

/**
 * Stands in a column of a unique index that the document lacks. MongoDB takes absent for a value like any other, so that
 * two documents without one would clash; this clashes with nobody, and no guard or range finds it.
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
	// Nothing else writes to the collection, and what is written is checked against these columns.
	return document as Document<C>;
}
