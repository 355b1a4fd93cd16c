/** The writing statements of the embedded store. Pure: this module makes texts and values and runs nothing. */
import type { SQLInputValue } from "node:sqlite";
import type { Collection, Columns, Document } from "../collection.ts";
import type { Change, Guard, OutboxEntry } from "../port/documents.ts";
import { quoted } from "./embedded-names.ts";
import { columnValue, joined, memberList, type Sql, sql } from "./embedded-sql.ts";

type Events = readonly OutboxEntry[];

/** The texts of insertions by collection. The text of the most frequent statement is made only once. */
const insertions = new WeakMap<Collection, string>();

export function insertion(collection: Collection, document: Document<Columns>, events: Events): Sql {
	const text = insertions.get(collection) ?? insertionText(collection);
	insertions.set(collection, text);
	const values: SQLInputValue[] = [document.id, document.wire, ...outboxValues(events)];
	for (const column in collection.columns) values.push(columnValue(collection, column, document[column]));
	return { text, values };
}

function insertionText(collection: Collection): string {
	const members = ["id", "wire", "_outbox", "_outbox_since", ...Object.keys(collection.columns).map(quoted)];
	const marks = members.map(() => "?").join(", ");
	return `INSERT INTO ${quoted(collection.name)} (${members.join(", ")}) VALUES (${marks})`;
}

/**
 * Makes the statement that returns the document after the change, or no row. @param assigned The result of
 * `assignments`.
 */
export function updating(collection: Collection, id: string, guard: Guard<Columns>, assigned: Sql): Sql {
	const head = sql(`UPDATE ${quoted(collection.name)} SET`);
	const tail = sql(`RETURNING ${memberList(collection)}`);
	return joined([head, assigned, sql("WHERE id = ?", id), ...conditions(guard), tail], " ");
}

export function assignments(collection: Collection, change: Change<Columns>, events: Events): Sql {
	const { wire, set = {}, unset = [], inc = {}, push = {}, pull = {} } = change;
	const parts = [
		// An UPDATE must assign something, even when the change is empty.
		wire === undefined ? sql("wire = wire") : sql("wire = ?", wire),
		...Object.entries(set).map(([name, value]) => sql(`${quoted(name)} = ?`, columnValue(collection, name, value))),
		...unset.map((name) => sql(`${quoted(name)} = NULL`)),
		...Object.entries(inc).map(([name, by]) => addition(quoted(name), by ?? 0)),
		...Object.entries(push).map(([name, member]) => append(quoted(name), JSON.stringify(member))),
		...Object.entries(pull).map(([name, n]) => removal(quoted(name), n ?? 0)),
	];
	return joined(events.length > 0 ? [...parts, outboxAppend(events)] : parts, ", ");
}

export function deletion(collection: Collection, id: string, guard: Guard<Columns>): Sql {
	return joined([sql(`DELETE FROM ${quoted(collection.name)} WHERE id = ?`, id), ...conditions(guard)], " ");
}

export function deletions(collection: Collection, ids: readonly string[]): Sql {
	const text = `DELETE FROM ${quoted(collection.name)} WHERE id IN (SELECT value FROM json_each(?))`;
	return sql(text, JSON.stringify(ids));
}

/** Makes the statement that empties the outbox if all its events have a number up to `n`. */
export function outboxClearing(collection: Collection, id: string, n: number): Sql {
	const later = "SELECT 1 FROM json_each(_outbox) WHERE value ->> 'n' > ?";
	const text = `UPDATE ${quoted(collection.name)} SET _outbox = NULL, _outbox_since = NULL
		WHERE id = ? AND _outbox IS NOT NULL AND NOT EXISTS (${later})`;
	return sql(text, id, n);
}

/** Makes the statement that replaces the whole outbox by the remaining events. */
export function outboxReplacement(collection: Collection, id: string, remaining: Events): Sql {
	const text = `UPDATE ${quoted(collection.name)} SET _outbox = ?, _outbox_since = ? WHERE id = ?`;
	return sql(text, ...outboxValues(remaining), id);
}

function outboxValues(events: Events): [string | null, number | null] {
	const [first] = events;
	return first ? [JSON.stringify(events), first.at] : [null, null];
}

function conditions({ equals = {}, fits }: Guard<Columns>): Sql[] {
	const guards = Object.entries(equals).map(([column, value]) =>
		sql(`AND ${quoted(column)} = ?`, typeof value === "number" ? value : String(value)),
	);
	if (fits) guards.push(sql(`AND ${quoted(fits.column)} + ? <= ${quoted(fits.limit)}`, fits.plus));
	return guards;
}

function addition(column: string, by: number): Sql {
	return sql(`${column} = ifnull(${column}, 0) + ?`, by);
}

function append(column: string, member: string): Sql {
	return sql(`${column} = json_insert(ifnull(${column}, '[]'), '$[#]', json(?))`, member);
}

/** Makes an expression that retains, in order, the members without an `n` and those with a greater one. */
function removal(column: string, n: number): Sql {
	const retained = `SELECT json_group_array(json(${column} -> fullkey) ORDER BY key) FROM json_each(${column})
		WHERE ifnull(json_extract(${column}, fullkey || '.n') > ?, TRUE)`;
	return sql(`${column} = CASE WHEN ${column} IS NOT NULL THEN (${retained}) END`, n);
}

/**
 * Makes an expression that joins two lists as text: both are JSON written by this file, so the second one continues in
 * the place of the first one's closing bracket.
 */
function outboxAppend(events: Events): Sql {
	const [list, since] = outboxValues(events);
	return sql(
		`_outbox = ifnull(substr(_outbox, 1, length(_outbox) - 1) || ',', '[') || ?,
		_outbox_since = min(ifnull(_outbox_since, ?), ?)`,
		list?.slice(1) ?? "]",
		since,
		since,
	);
}
