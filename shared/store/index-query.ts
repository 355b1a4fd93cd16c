/** Resolves a query of a declared index into columns, values and order, once for all stores. */
import type { Collection } from "./collection.ts";
import { decodeCursor, encodeCursor } from "./pages/cursor.ts";
import type { Range } from "./port/documents.ts";

type Value = string | number;

/** The bounds of the column that a query ranges over. */
export interface RangedColumn {
	readonly column: string;
	/** The lower bound. It is always set, so that documents without the column are excluded in every store. */
	readonly from: Value;
	readonly to?: Value;
}

export interface IndexQuery {
	readonly index: string;
	readonly equal: readonly { readonly column: string; readonly value: Value }[];
	readonly ranged?: RangedColumn;
	/** The columns of the sort order; `id` is the last one, unless no two documents can tie. */
	readonly order: readonly string[];
}

const smallest = { text: "", integer: Number.MIN_SAFE_INTEGER } as const;

/** Returns the query. @throws {TypeError} when the index is not declared or the range does not fit its columns. */
export function indexQuery(collection: Collection, index: string, range: Range): IndexQuery {
	const spec = collection.indexes[index];
	if (!spec) throw new TypeError(`Cannot query "${collection.name}": it has no index "${index}"`);
	const { equals } = range;
	const [column, ...others] = spec.columns.slice(equals.length);
	const ranged = rangedColumn(collection, column, range);
	if (equals.length > spec.columns.length || others.length > 0 || (ranged === undefined && isBounded(range)))
		throw new TypeError(`Cannot query "${collection.name}.${index}": the range does not fit its columns`);
	const equal = equals.map((value, position) => ({ column: spec.columns[position] ?? "", value }));
	const ties = spec.unique ? [] : ["id"];
	return ranged ? { index, equal, ranged, order: [ranged.column, ...ties] } : { index, equal, order: ties };
}

function rangedColumn(collection: Collection, column: string | undefined, range: Range): RangedColumn | undefined {
	if (column === undefined) return undefined;
	const { from = collection.columns[column] === "integer" ? smallest.integer : smallest.text, to } = range;
	return { column, from, ...(to !== undefined && { to }) };
}

function isBounded({ from, to }: Range): boolean {
	return from !== undefined || to !== undefined;
}

/**
 * Returns the values of the ordering columns at the end of a page. @throws {RangeError} when the text is no cursor for
 * this query.
 */
export function positionAfter(collection: Collection, { order }: IndexQuery, cursor: string): Value[] {
	const { value, id } = decodeCursor(cursor);
	if (order.length === 0) throw new RangeError("This list has one page only");
	return order.map((column) => {
		if (column === "id") return id;
		const fits = collection.columns[column] === "integer" ? typeof value === "number" : typeof value === "string";
		if (!fits) throw new RangeError("This is not a cursor of this list");
		return value;
	});
}

/** The members of a document that say where it is in an index. */
export interface Positioned {
	readonly id: string;
	readonly [column: string]: unknown;
}

/** Returns the columns that a page needs: the wanted ones, and the one that its cursor is made of. */
export function pageColumns(
	{ ranged }: IndexQuery,
	columns: readonly string[] | undefined,
): readonly string[] | undefined {
	return columns && ranged && !columns.includes(ranged.column) ? [...columns, ranged.column] : columns;
}

/** Returns the cursor of a page that ends with this document. */
export function cursorAt({ ranged }: IndexQuery, document: Positioned): string {
	const value = ranged && document[ranged.column];
	return encodeCursor({ value: typeof value === "string" || typeof value === "number" ? value : "", id: document.id });
}
