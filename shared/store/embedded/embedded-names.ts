/** Names of tables, columns and indexes as SQLite reads them. */
import type { Collection } from "../collection.ts";

/** Quotes a name, because some names are words of SQL. Names come from code and were checked by `defineCollection`. */
export function quoted(name: string): string {
	return `"${name}"`;
}

/** Returns the full name of an index, because SQLite has one namespace for the indexes of all tables. */
export function indexName(collection: Collection, index: string): string {
	return quoted(`${collection.name}.${index}`);
}

/** Returns the quoted name of the full-text index of a searched collection. */
export function searchTable({ name }: Collection): string {
	return quoted(`${name}.search`);
}

/** Returns the quoted name of the index that has the order of the hits together with the shorter searched texts. */
export function searchOrder({ name }: Collection): string {
	return quoted(`${name}.search.order`);
}
