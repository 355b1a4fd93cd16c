/**
 * Searches the embedded store. A text of three characters or more is looked up by its trigrams: when few documents
 * contain them all, only these are examined. Otherwise all documents are. Either way they are examined in the order of
 * the hits, a few in each turn of the event loop, until the page is full or its time is over.
 */
import type { SQLInputValue } from "node:sqlite";
import { monotonic, nextTurn } from "#shared/base/clock.ts";
import type { Collection } from "../collection.ts";
import type { IndexQuery, Positioned } from "../index-query.ts";
import type { SearchStep } from "../search-query.ts";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import { quoted, searchOrder, searchTable } from "./embedded-names.ts";
import { beyond, bounds, indexed } from "./embedded-reads.ts";
import { joined, type Sql, sql, type SqlRow } from "./embedded-sql.ts";

/** The most documents that are found by trigrams and then sorted; more of them are read in order. */
const maxSorted = 2_000;
/** The documents that are examined in one turn of the event loop; a long text may take some milliseconds. */
const examinedAtOnce = 20;
/** The time after which a page ends early, in milliseconds. */
const scanMs = 500;

export interface StepHits {
	readonly ids: readonly string[];
	/** The last document that was examined, when the time was over before the page was full. */
	readonly examined?: Positioned;
}

export interface StepSearch {
	readonly collection: Collection;
	readonly query: IndexQuery;
	readonly step: SearchStep;
	readonly text: string;
}

/** Returns the ids of at most `limit` hits in their order. @param since The monotonic time at which the search began. */
export async function stepHits(
	database: EmbeddedDatabase,
	search: StepSearch,
	limit: number,
	since: number,
): Promise<StepHits> {
	const ids: string[] = [];
	const batches = isRare(database, search) ? amongSorted(database, search) : amongAll(database, search);
	for (const rows of batches) {
		for (const { id, hit } of rows) if (hit === 1 && ids.length < limit) ids.push(String(id));
		const last = rows.at(-1);
		if (ids.length === limit || !last || rows.length < examinedAtOnce) break;
		if (monotonic() - since > scanMs) return { ids, examined: { ...last, id: String(last["id"]) } };
		await nextTurn();
	}
	return { ids };
}

function isRare(database: EmbeddedDatabase, search: StepSearch): boolean {
	if (Array.from(search.text).length < 3) return false;
	return Number(database.first(counted(search))?.["count"]) <= maxSorted;
}

/** Yields the documents that have all trigrams of the text; `hit` is 1 for those that contain the text itself. */
function* amongSorted(database: EmbeddedDatabase, search: StepSearch): Generator<SqlRow[]> {
	const candidates = database.all(sorted(search));
	for (let start = 0; start < candidates.length; start += examinedAtOnce) {
		const rows = candidates.slice(start, start + examinedAtOnce);
		const hits = new Set(database.all(hitsAmong(search, rows)).map(({ id }) => id));
		yield rows.map((row) => ({ ...row, hit: Number(hits.has(row["id"] ?? null)) }));
	}
}

/** Yields all documents of the range with their `hit`. */
function* amongAll(database: EmbeddedDatabase, search: StepSearch): Generator<SqlRow[]> {
	let { after } = search.step;
	for (;;) {
		const rows = database.all(examined(search, after));
		yield rows;
		const last = rows.at(-1);
		if (!last) return;
		after = search.query.order.map((column) => last[column] ?? null).map(orderValue);
	}
}

/** Index columns are texts and numbers, and a document without one is not in the index. */
function orderValue(value: SqlRow[string]): string | number {
	return typeof value === "number" ? value : String(value);
}

function counted(search: StepSearch): Sql {
	const matching = matches(search);
	return sql(`SELECT count(*) AS count FROM (${matching.text} LIMIT ?)`, ...matching.values, maxSorted + 1);
}

/** NOT INDEXED makes SQLite start from the rows that match instead of reading the whole index. */
function sorted(search: StepSearch): Sql {
	const { collection, query, step } = search;
	const matching = matches(search);
	const among = sql(`rowid IN (${matching.text})`, ...matching.values);
	const terms = [among, ...bounds(query), ...behind(query, step.after)];
	const head = sql(`SELECT ${members(query)} FROM ${quoted(collection.name)} NOT INDEXED WHERE`);
	return joined([head, joined(terms, " AND "), inOrder(query, maxSorted)], " ");
}

function hitsAmong(search: StepSearch, rows: readonly SqlRow[]): Sql {
	const ids = rows.map((row) => row["id"] ?? null);
	const among = sql(`id IN (${ids.map(() => "?").join(", ")})`, ...ids);
	const head = sql(`SELECT id FROM ${quoted(search.collection.name)} WHERE`);
	return joined([head, joined([among, contains(search), ...elsewhere(search)], " AND ")], " ");
}

function members({ order }: IndexQuery): string {
	return [...new Set(["id", ...order])].map(quoted).join(", ");
}

function examined(search: StepSearch, after: SearchStep["after"]): Sql {
	const { query } = search;
	const hit = joined([contains(search), ...elsewhere(search)], " AND ");
	const head = sql(`SELECT ${members(query)}, (${hit.text}) AS hit FROM ${scanned(search)}`, ...hit.values);
	const terms = [...bounds(query, after && "to"), ...behind(query, after)];
	return joined([head, sql("WHERE"), joined(terms, " AND "), inOrder(query, examinedAtOnce)], " ");
}

/** The searched columns except the last one are in an index of their own, so their scan reads no documents. */
function scanned({ collection, query, step }: StepSearch): string {
	const isLast = step.column === collection.searched?.columns.at(-1);
	return isLast ? indexed(collection, query.index) : `${quoted(collection.name)} INDEXED BY ${searchOrder(collection)}`;
}

/** Every text that contains the searched one has all its trigrams; some other texts have them too. */
function matches({ collection, step, text }: StepSearch): Sql {
	const table = searchTable(collection);
	const characters = Array.from(text);
	const trigrams = new Set(
		characters.slice(2).map((last, index) => characters.slice(index, index + 2).join("") + last),
	);
	const terms = Array.from(trigrams, (trigram) => `"${trigram.replaceAll('"', '""')}"`);
	const all = `{${quoted(step.column)}} : (${terms.join(" AND ")})`;
	return sql(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`, all);
}

function contains({ step, text }: StepSearch): Sql {
	return sql(`ifnull(instr(${quoted(step.column)}, ?), 0) > 0`, text);
}

function elsewhere({ step, text }: StepSearch): Sql[] {
	return step.former.map((column) => sql(`ifnull(instr(${quoted(column)}, ?), 0) = 0`, text));
}

function behind({ order }: IndexQuery, after: readonly SQLInputValue[] | undefined): Sql[] {
	return after ? [beyond(order.map(quoted), after, true)] : [];
}

function inOrder({ order }: IndexQuery, limit: number): Sql {
	return sql(`ORDER BY ${order.map((column) => `${quoted(column)} DESC`).join(", ")} LIMIT ?`, limit);
}
