/**
 * The full-text index of a searched collection: a table of SQLite's FTS5 with the trigrams of the searched columns. It
 * stores no texts of its own, and triggers keep it equal to the collection in the same write.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Collection, SearchSpec } from "../collection.ts";
import { quoted, searchOrder, searchTable } from "./embedded-names.ts";

/** Creates the full-text index and its triggers, and replaces them when the searched columns have changed. */
export function applySearch(database: DatabaseSync, collection: Collection): void {
	const table = searchTable(collection);
	const wanted = collection.searched && tableSql(collection, collection.searched.columns);
	const present = database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").get(`${collection.name}.search`);
	if (present?.["sql"] === wanted) return;
	for (const event of events) database.exec(`DROP TRIGGER IF EXISTS ${triggerName(collection, event)}`);
	if (present) database.exec(`DROP TABLE ${table}`);
	if (!collection.searched || wanted === undefined) return;
	database.exec(wanted);
	for (const sql of triggersSql(collection, collection.searched.columns)) database.exec(sql);
	database.exec(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
}

const events = ["insert", "delete", "update"] as const;

/**
 * The trigrams keep the case, so that a search is exact in every store; callers fold the texts that they write. The
 * index has no positions: comparing them takes seconds for a long text that repeats itself.
 */
function tableSql(collection: Collection, columns: readonly string[]): string {
	const { name } = collection;
	const options = `content="${name}", content_rowid="rowid", detail="column", tokenize="trigram case_sensitive 1"`;
	return `CREATE VIRTUAL TABLE ${searchTable(collection)} USING fts5(${columns.map(quoted).join(", ")}, ${options})`;
}

/**
 * Makes the index of a scan. It contains the searched columns except the last and longest one, so that a scan of names
 * does not read the documents.
 */
export function searchOrderSql(collection: Collection, { index, columns }: SearchSpec): string {
	const order = (collection.indexes[index]?.columns ?? []).map(quoted);
	const members = [...order, "id", ...columns.slice(0, -1).map(quoted)].join(", ");
	const present = order.map((column) => `${column} IS NOT NULL`).join(" AND ");
	return `CREATE INDEX ${searchOrder(collection)} ON ${quoted(collection.name)} (${members}) WHERE ${present}`;
}

function triggersSql(collection: Collection, columns: readonly string[]): string[] {
	const table = searchTable(collection);
	const on = `ON ${quoted(collection.name)}`;
	const names = columns.map(quoted);
	const values = (row: "old" | "new") => [`${row}.rowid`, ...names.map((name) => `${row}.${name}`)].join(", ");
	const added = `INSERT INTO ${table} (rowid, ${names.join(", ")}) VALUES (${values("new")});`;
	const removed = `INSERT INTO ${table} (${table}, rowid, ${names.join(", ")}) VALUES ('delete', ${values("old")});`;
	const trigger = (event: (typeof events)[number]) => `CREATE TRIGGER ${triggerName(collection, event)} AFTER`;
	return [
		`${trigger("insert")} INSERT ${on} BEGIN ${added} END`,
		`${trigger("delete")} DELETE ${on} BEGIN ${removed} END`,
		`${trigger("update")} UPDATE OF ${names.join(", ")} ${on} BEGIN ${removed} ${added} END`,
	];
}

function triggerName({ name }: Collection, event: (typeof events)[number]): string {
	return quoted(`${name}.search.${event}`);
}
