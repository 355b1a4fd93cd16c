/** Checks the columns of writes before the store does anything, so that all stores refuse the same mistakes. */
import type { Collection, Columns, ColumnType, Document } from "./collection.ts";
import { refuseLargeEvents } from "./event-size.ts";
import type { Change, Guard, OutboxEntry } from "./port/documents.ts";

const maxGuards = 4;

const accepts: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
	text: (value) => typeof value === "string",
	integer: (value) => Number.isSafeInteger(value),
	json: (value) => value !== undefined,
};

/**
 * Checks a whole document. @throws {TypeError} when a member is no declared column or its value does not have the
 * column's type.
 */
export function checkDocument(collection: Collection, document: Document<Columns>): void {
	const { id, wire, ...columns } = document;
	if (typeof id !== "string" || typeof wire !== "string")
		throw new TypeError(`Cannot write to "${collection.name}": a document needs an id and a text`);
	checkValues(collection, columns);
}

/**
 * Checks the events of a write. @throws {TypeError} when there are events that no relay would ever find; {UnprocessableError} when
 * one is too large.
 */
export function checkOutbox({ name, hasOutbox, audited }: Collection, events: readonly OutboxEntry[]): void {
	if (events.length > 0 && !hasOutbox && !audited)
		throw new TypeError(`Cannot write events to "${name}": it has no outbox`);
	refuseLargeEvents(events);
}

/** Checks a guard. @throws {TypeError} when it names too many columns, or columns that cannot be compared. */
export function checkGuard(collection: Collection, { equals = {}, fits }: Guard<Columns>): void {
	checkValues(collection, equals);
	const names = Object.keys(equals);
	const json = names.find((column) => collection.columns[column] === "json");
	if (json !== undefined) throw refusal(collection, json, "a json column is not compared");
	if (names.length > maxGuards)
		throw new TypeError(`Cannot write to "${collection.name}": a guard has at most ${maxGuards} columns`);
	if (fits) {
		checkType(collection, fits.column, "integer");
		checkType(collection, fits.limit, "integer");
		checkValues(collection, { [fits.column]: fits.plus });
	}
}

/** Checks a change. @throws {TypeError} when it names a column twice, or one that cannot be changed in this way. */
export function checkChange(collection: Collection, change: Change<Columns>): void {
	const { set = {}, unset = [], inc = {}, push = {}, pull = {} } = change;
	checkValues(collection, set);
	checkValues(collection, inc);
	checkValues(collection, push);
	for (const column of unset) typeOf(collection, column);
	for (const column of Object.keys(inc)) {
		checkType(collection, column, "integer");
		if (isKey(collection, column)) throw refusal(collection, column, "a column of a unique index is not added to");
	}
	for (const column of [...Object.keys(push), ...Object.keys(pull)]) checkType(collection, column, "json");
	checkNamedOnce(collection, [...[set, inc, push, pull].flatMap((part) => Object.keys(part)), ...unset]);
}

function checkNamedOnce(collection: Collection, named: readonly string[]): void {
	const twice = named.find((column, position) => named.indexOf(column) !== position);
	if (twice !== undefined) throw refusal(collection, twice, "a change names a column once");
}

export function isKey(collection: Collection, column: string): boolean {
	return Object.values(collection.indexes).some(({ unique, columns }) => unique && columns.includes(column));
}

function checkValues(collection: Collection, values: Readonly<Record<string, unknown>>): void {
	for (const [column, value] of Object.entries(values)) {
		const type = typeOf(collection, column);
		if (!accepts[type](value)) throw refusal(collection, column, `the value is not ${type}`);
		if (typeof value === "string" && value.includes("\0") && collection.searched?.columns.includes(column))
			throw refusal(collection, column, "a searched text has no U+0000");
	}
}

function checkType(collection: Collection, column: string, type: ColumnType): void {
	if (typeOf(collection, column) !== type) throw refusal(collection, column, `it is not ${type}`);
}

function typeOf(collection: Collection, column: string): ColumnType {
	const type = collection.columns[column];
	if (type === undefined) throw refusal(collection, column, "there is no such column");
	return type;
}

function refusal(collection: Collection, column: string, why: string): TypeError {
	return new TypeError(`Cannot use column "${column}" of "${collection.name}": ${why}`);
}
