/**
 * Searches the embedded store. A text of three characters or more that few documents contain is found by its trigrams.
 * Any other one is in many documents or has no trigram; then the documents are read in the order of the hits until the
 * page is full or its time is over.
 */
import type { SQLInputValue } from "node:sqlite";
import { monotonic, nextTurn } from "../../clock.ts";
import type { Collection } from "../collection.ts";
import type { IndexQuery, Positioned } from "../index-query.ts";
import type { SearchStep } from "../search-query.ts";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import { quoted, searchOrder, searchTable } from "./embedded-names.ts";
import { beyond, bounds, indexed } from "./embedded-reads.ts";
import { joined, type Sql, sql, type SqlRow } from "./embedded-sql.ts";

/** The most documents that are found by trigrams and then sorted; more of them are read in order. */
const maxSorted = 2_000;
/** The documents that are read in one turn of the event loop. */
const scannedAtOnce = 100;
/** The time after which a page ends early, in milliseconds. */
const scanMs = 500;

/** The hits of one step on one page. */
export interface StepHits {
	readonly ids: readonly string[];
	/** The last document that was examined, when the time was over before the page was full. */
	readonly examined?: Positioned;
}

/** One step of a search of one collection. */
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
	if (isRare(database, search)) return { ids: database.all(sorted(search, limit)).map(({ id }) => String(id)) };
	return scan(database, search, limit, since);
}

function isRare(database: EmbeddedDatabase, search: StepSearch): boolean {
	if (Array.from(search.text).length < 3) return false;
	return Number(database.first(counted(search))?.["count"]) <= maxSorted;
}

async function scan(database: EmbeddedDatabase, search: StepSearch, limit: number, since: number): Promise<StepHits> {
	const ids: string[] = [];
	let { after } = search.step;
	for (;;) {
		const rows = database.all(examined(search, after));
		for (const { id, hit } of rows) if (hit === 1 && ids.length < limit) ids.push(String(id));
		const last = rows.at(-1);
		if (ids.length === limit || !last || rows.length < scannedAtOnce) return { ids };
		if (monotonic() - since > scanMs) return { ids, examined: { ...last, id: String(last["id"]) } };
		after = search.query.order.map((column) => last[column] ?? null).map(orderValue);
		await nextTurn();
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
function sorted(search: StepSearch, limit: number): Sql {
	const { collection, query, step } = search;
	const matching = matches(search);
	const among = sql(`rowid IN (${matching.text})`, ...matching.values);
	const terms = [among, ...bounds(query), ...elsewhere(search), ...behind(query, step.after)];
	const head = sql(`SELECT id FROM ${quoted(collection.name)} NOT INDEXED WHERE`);
	return joined([head, joined(terms, " AND "), inOrder(query, limit)], " ");
}

function examined(search: StepSearch, after: SearchStep["after"]): Sql {
	const { query } = search;
	const hit = joined([contains(search), ...elsewhere(search)], " AND ");
	const members = query.order.map(quoted).join(", ");
	const head = sql(`SELECT id, ${members}, (${hit.text}) AS hit FROM ${scanned(search)}`, ...hit.values);
	const terms = [...bounds(query, after && "to"), ...behind(query, after)];
	return joined([head, sql("WHERE"), joined(terms, " AND "), inOrder(query, scannedAtOnce)], " ");
}

/** The searched columns except the last one are in an index of their own, so their scan reads no documents. */
function scanned({ collection, query, step }: StepSearch): string {
	const isLast = step.column === collection.searched?.columns.at(-1);
	return isLast ? indexed(collection, query.index) : `${quoted(collection.name)} INDEXED BY ${searchOrder(collection)}`;
}

/** The phrase of a trigram index matches exactly the texts that contain it. */
function matches({ collection, step, text }: StepSearch): Sql {
	const table = searchTable(collection);
	const phrase = `{${quoted(step.column)}} : "${text.replaceAll('"', '""')}"`;
	return sql(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`, phrase);
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
