/** The reading statements of the embedded store. Pure: this module makes texts and values and runs nothing. */
import type { SQLInputValue } from "node:sqlite";
import type { Collection } from "../collection.ts";
import { indexName, quoted } from "./embedded-names.ts";
import { outboxIndex } from "./embedded-schema.ts";
import { joined, memberList, type Sql, sql } from "./embedded-sql.ts";
import type { IndexQuery } from "../index-query.ts";

/**
 * The bound of a page. SQLite plans with the value of a bare `LIMIT ?`, and therefore compiles the statement again for every
 * run; it does not look into a sum.
 */
const limitTo = "LIMIT ? + 0";

/** The order, the beginning and the size of a page of an index. */
export interface PageOrder {
	readonly descending: boolean;
	/** The values of the ordering columns after which the page begins. */
	readonly after?: readonly SQLInputValue[] | undefined;
	readonly limit: number;
}

/** Texts by list of columns. The text of the most frequent statement is made only once. */
type Texts = WeakMap<object, string>;
const selections = new WeakMap<Collection, Texts>();

export function selection(collection: Collection, id: string, columns?: readonly string[]): Sql {
	const texts: Texts = selections.get(collection) ?? new WeakMap();
	selections.set(collection, texts);
	const key = columns ?? collection;
	const text =
		texts.get(key) ?? `SELECT ${memberList(collection, columns)} FROM ${quoted(collection.name)} WHERE id = ?`;
	texts.set(key, text);
	return { text, values: [id] };
}

export function pageSelection(
	collection: Collection,
	query: IndexQuery,
	page: PageOrder,
	members = memberList(collection),
): Sql {
	const { descending, after, limit } = page;
	const keys = query.order.map(quoted);
	const order = keys.map((key) => (descending ? `${key} DESC` : key)).join(", ");
	const head = sql(`SELECT ${members} FROM ${indexed(collection, query.index)} WHERE`);
	const terms = after ? [...bounds(query, descending ? "to" : "from"), beyond(keys, after, descending)] : bounds(query);
	const tail = sql(`${order && `ORDER BY ${order} `}${limitTo}`, limit);
	return joined([head, joined(terms, " AND "), tail], " ");
}

/** The result is one text that SQLite makes, because one row per document would cost as much as reading the documents. */
export function versionSelection(collection: Collection, query: IndexQuery, column: string, page: PageOrder): Sql {
	const rows = pageSelection(collection, query, page, `id || ':' || ifnull(${quoted(column)}, '') AS line`);
	return sql(`SELECT group_concat(line, char(10)) AS lines FROM (${rows.text})`, ...rows.values);
}

export function countSelection(collection: Collection, query: IndexQuery): Sql {
	const head = sql(`SELECT count(*) AS count FROM ${indexed(collection, query.index)} WHERE`);
	return joined([head, joined(bounds(query), " AND ")], " ");
}

export function outboxSelection(collection: Collection, limit: number): Sql {
	return sql(
		`SELECT id, _outbox FROM ${indexed(collection, outboxIndex)}
		WHERE _outbox_since IS NOT NULL ORDER BY _outbox_since, id ${limitTo}`,
		limit,
	);
}

export function outboxOf(collection: Collection, id: string): Sql {
	return sql(`SELECT _outbox FROM ${quoted(collection.name)} WHERE id = ?`, id);
}

/** Names the index explicitly: with INDEXED BY, a statement that cannot use its index is an error instead of being slow. */
export function indexed(collection: Collection, index: string): string {
	return `${quoted(collection.name)} INDEXED BY ${indexName(collection, index)}`;
}

/**
 * Returns the conditions of a range. @param passed The bound that the page begins beyond. It is still checked, but `+`
 * keeps SQLite from using it to enter the index.
 */
export function bounds({ equal, ranged }: IndexQuery, passed?: "from" | "to"): Sql[] {
	const terms = equal.map(({ column, value }) => sql(`${quoted(column)} = ?`, value));
	if (!ranged) return terms;
	const { column, from, to } = ranged;
	terms.push(sql(`${passed === "from" ? "+" : ""}${quoted(column)} >= ?`, from));
	if (to !== undefined) terms.push(sql(`${passed === "to" ? "+" : ""}${quoted(column)} <= ?`, to));
	return terms;
}

export function beyond(keys: readonly string[], after: readonly SQLInputValue[], descending: boolean): Sql {
	const marks = after.map(() => "?").join(", ");
	return sql(`(${keys.join(", ")}) ${descending ? "<" : ">"} (${marks})`, ...after);
}
