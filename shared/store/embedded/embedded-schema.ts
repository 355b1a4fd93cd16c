/** Creates the tables of the embedded store from the declared collections, and updates them on every open. */
import type { DatabaseSync } from "node:sqlite";
import type { Collection, IndexSpec } from "../collection.ts";
import { indexName, quoted, searchOrder } from "./embedded-names.ts";
import { applySearch, searchOrderSql } from "./embedded-search-schema.ts";

/** The members of every document beside its columns; the outbox is a JSON list, absent when no event waits. */
const ownColumns = {
	id: "TEXT PRIMARY KEY NOT NULL",
	wire: "TEXT NOT NULL",
	_outbox: "TEXT",
	_outbox_since: "INTEGER",
} as const;

/** A full-text index refers to rows by number. SQLite may renumber rows that have no declared number. */
const numberedColumns = { _row: "INTEGER PRIMARY KEY", ...ownColumns, id: "TEXT UNIQUE NOT NULL" } as const;

const sqlTypes = { text: "TEXT", integer: "INTEGER", json: "TEXT" } as const;

export const outboxIndex = "_outbox";

/**
 * Creates missing tables, columns and indexes, and replaces indexes whose declaration has changed. Columns that are no
 * longer declared stay.
 * @throws {Error} when a column has changed its type; the caller then closes the database.
 */
export function applySchema(database: DatabaseSync, collections: readonly Collection[]): void {
	database.exec("BEGIN IMMEDIATE");
	for (const collection of collections) {
		applyColumns(database, collection);
		applyIndexes(database, collection);
		applySearch(database, collection);
	}
	database.exec("COMMIT");
}

function applyColumns(database: DatabaseSync, collection: Collection): void {
	const table = quoted(collection.name);
	const rows = database.prepare("SELECT name, type FROM pragma_table_info(?)").all(collection.name);
	if (rows.length === 0) {
		database.exec(tableSql(collection));
		return;
	}
	const present = new Map(rows.map(({ name, type }) => [name, type]));
	for (const [name, type] of Object.entries(collection.columns)) {
		const wanted = sqlTypes[type];
		const found = present.get(name);
		if (found === undefined) database.exec(`ALTER TABLE ${table} ADD COLUMN ${quoted(name)} ${wanted}`);
		else if (found !== wanted)
			throw new Error(`Cannot open collection "${collection.name}": its column "${name}" is not ${type} on disk`);
	}
}

/** SQLite reads the whole schema again for each column that is added later, so a new table is made with all of them. */
function tableSql({ name: table, columns, searched }: Collection): string {
	const own = Object.entries(searched ? numberedColumns : ownColumns).map(([name, type]) => `${name} ${type}`);
	const declared = Object.entries(columns).map(([name, type]) => `${quoted(name)} ${sqlTypes[type]}`);
	return `CREATE TABLE ${quoted(table)} (${[...own, ...declared].join(", ")}) STRICT`;
}

function applyIndexes(database: DatabaseSync, collection: Collection): void {
	const wanted = new Map([[indexName(collection, outboxIndex), outboxIndexSql(collection)]]);
	for (const [index, spec] of Object.entries(collection.indexes))
		wanted.set(indexName(collection, index), indexSql(collection, index, spec));
	if (collection.searched) wanted.set(searchOrder(collection), searchOrderSql(collection, collection.searched));
	const present = new Map<string, unknown>();
	const rows = database
		.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
		.all(collection.name);
	for (const { name, sql } of rows) present.set(quoted(String(name)), sql);
	for (const [name, sql] of present) if (wanted.get(name) !== sql) database.exec(`DROP INDEX ${name}`);
	for (const [name, sql] of wanted) if (present.get(name) !== sql) database.exec(sql);
}

/** The index is partial, because a document that lacks a column is not in it; ties are ordered by id. */
function indexSql(collection: Collection, index: string, { columns, unique }: IndexSpec): string {
	const keys = columns.map(quoted);
	const present = keys.map((key) => `${key} IS NOT NULL`).join(" AND ");
	const kind = unique ? "UNIQUE INDEX" : "INDEX";
	const members = unique ? keys : [...keys, "id"];
	return `CREATE ${kind} ${indexName(collection, index)} ON ${quoted(collection.name)} (${members.join(", ")}) WHERE ${present}`;
}

function outboxIndexSql(collection: Collection): string {
	const name = indexName(collection, outboxIndex);
	return `CREATE INDEX ${name} ON ${quoted(collection.name)} (_outbox_since, id) WHERE _outbox_since IS NOT NULL`;
}
