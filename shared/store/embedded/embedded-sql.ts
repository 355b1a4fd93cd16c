/** Pieces of SQL with their values, and the conversion between documents and rows. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Collection, Columns, Document } from "../collection.ts";
import type { OutboxEntry } from "../port/documents.ts";
import { quoted } from "./embedded-names.ts";

/** A piece of SQL with the values for its placeholders, in order. */
export interface Sql {
	readonly text: string;
	readonly values: readonly SQLInputValue[];
}

export type SqlRow = Record<string, SQLOutputValue>;

export function sql(text: string, ...values: SQLInputValue[]): Sql {
	return { text, values };
}

export function joined(pieces: readonly Sql[], separator: string): Sql {
	return {
		text: pieces.map(({ text }) => text).join(separator),
		values: pieces.flatMap(({ values }) => values),
	};
}

/** The lists of all columns. The text of the most frequent list is made only once. */
const memberLists = new WeakMap<Collection, string>();

/** Returns the columns of a SELECT as one list. */
export function memberList(collection: Collection, columns?: readonly string[]): string {
	const known = columns ? undefined : memberLists.get(collection);
	if (known !== undefined) return known;
	const list = ["id", "wire", ...(columns ?? Object.keys(collection.columns)).map(quoted)].join(", ");
	if (!columns) memberLists.set(collection, list);
	return list;
}

/** Returns a column's value as SQLite stores it; an absent one is NULL. */
export function columnValue(collection: Collection, column: string, value: unknown): SQLInputValue {
	if (collection.columns[column] === "json") return value === undefined ? null : JSON.stringify(value);
	return typeof value === "string" || typeof value === "number" ? value : null;
}

export function documentOf<C extends Columns>(collection: Collection<C>, row: SqlRow): Document<C> {
	const document: Record<string, unknown> = {};
	for (const column in row) {
		const value = row[column];
		if (value === null) continue;
		document[column] = collection.columns[column] === "json" ? JSON.parse(String(value)) : value;
	}
	// The table is STRICT and was made from these columns, so a row cannot have any other form.
	return document as Document<C>;
}

/** Returns the events of an outbox as it is stored. */
export function entriesOf(outbox: SQLOutputValue | undefined): OutboxEntry[] {
	return typeof outbox === "string" ? JSON.parse(outbox) : [];
}
