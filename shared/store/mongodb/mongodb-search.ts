/**
 * Searches collections in MongoDB, whose text index finds words and no substrings. The adapter stores the trigrams of
 * each searched column as numbers beside it and indexes them with the order of the hits, so the server walks the
 * documents with one trigram in that order and compares each with the whole text.
 */
import type { Collection } from "../collection.ts";
import type { IndexQuery } from "../index-query.ts";
import type { SearchStep } from "../search-query.ts";
import { gramField, gramsOf } from "./mongodb-grams.ts";
import { indexName } from "./mongodb-index-name.ts";
import { rangeFilter } from "./mongodb-query.ts";

type Members = Record<string, unknown>;

/** The most trigrams of a search that are looked up, because each one costs a plan that the server tries. */
const maxLookups = 8;

/** Returns the indexes of the trigrams by name: a trigram behind the compared columns and before the sorted one. */
export function gramIndexes({ searched, indexes }: Collection): { name: string; key: Record<string, 1> }[] {
	if (!searched) return [];
	const { columns = [] } = indexes[searched.index] ?? {};
	return searched.columns.map((column) => {
		const fields = [...columns.slice(0, -1), gramField(column), ...columns.slice(-1), "_id"];
		const key = Object.fromEntries(fields.map((field) => [field, 1 as const]));
		return { name: indexName(`search_${column}`, key), key };
	});
}

/** Returns the filter of one step of a search. A text of less than three characters has no trigrams. */
export function searchFilter(query: IndexQuery, { column, former, after }: SearchStep, text: string): Members {
	const containsText = { $regex: literal(text) };
	const grams = gramsOf(text).slice(0, maxLookups);
	return {
		...rangeFilter(query, after, true),
		[column]: containsText,
		...(grams.length > 0 && { [gramField(column)]: { $all: grams } }),
		...(former.length > 0 && { $nor: former.map((name) => ({ [name]: containsText })) }),
	};
}

/** Returns a pattern that matches exactly the text: a backslash makes any mark of ASCII stand for itself. */
function literal(text: string): string {
	return text.replaceAll(/[!-/:-@[-`{-~]/g, "\\$&");
}
