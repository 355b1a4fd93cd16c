/** Resolves a search into steps, one for each searched column, once for all stores. */
import type { Collection } from "./collection.ts";
import { maxSearchText } from "./port/search.ts";
import type { Range } from "./port/documents.ts";
import { cursorAt, indexQuery, type IndexQuery, type Positioned, positionAfter } from "./index-query.ts";

/** One step: the documents that contain the text in `column`, and in none of the columns of former steps. */
export interface SearchStep {
	/** The position of the column in the declaration. */
	readonly rank: number;
	readonly column: string;
	readonly former: readonly string[];
	/** The values of the ordering columns beyond which the step begins. */
	readonly after?: readonly (string | number)[];
}

export interface SearchQuery {
	readonly query: IndexQuery;
	readonly steps: readonly SearchStep[];
}

/**
 * Returns the steps that follow the position.
 * @throws {TypeError} when the collection or the text cannot be searched; {RangeError} when `after` is no cursor of the
 * search.
 */
export function searchQuery(collection: Collection, range: Range, text: string, after?: string): SearchQuery {
	const { name, searched } = collection;
	if (!searched) throw new TypeError(`Cannot search "${name}": it declares no searched columns`);
	if (text === "" || text.length > maxSearchText || text.includes("\0"))
		throw new TypeError(`Cannot search "${name}": a text has 1 to ${maxSearchText} characters and no U+0000`);
	const { columns } = searched;
	const query = indexQuery(collection, searched.index, range);
	const start = after === undefined ? undefined : startAfter(collection, query, after);
	const steps = columns.map((column, rank) => {
		const position = rank === start?.rank ? { after: start.after } : {};
		return { rank, column, former: columns.slice(0, rank), ...position };
	});
	return { query, steps: steps.slice(start?.rank ?? 0) };
}

/** Returns the cursor of a page that ends with this document of a step. */
export function searchCursor({ query }: SearchQuery, { rank }: SearchStep, document: Positioned): string {
	return `${rank}.${cursorAt(query, document)}`;
}

function startAfter(collection: Collection, query: IndexQuery, cursor: string) {
	const [text = "", position, ...rest] = cursor.split(".");
	const rank = /^\d$/.test(text) ? Number(text) : Infinity;
	if (position === undefined || rest.length > 0 || rank >= (collection.searched?.columns.length ?? 0))
		throw new RangeError("This is not a cursor of this search");
	return { rank, after: positionAfter(collection, query, position) };
}
