/** The search of the store port. */
import type { Collection, Columns } from "../collection.ts";
import type { DocumentPage, Found, Range } from "./documents.ts";

/** Longest text of a search in UTF-16 units. */
export const maxSearchText = 500;

/** A page of hits, and the text that they contain. */
export interface SearchPage<C extends Columns> extends Omit<DocumentPage<C>, "descending"> {
	/** The exact text, of 1 to {@link maxSearchText} UTF-16 units without U+0000. No character has a special meaning. */
	readonly text: string;
}

export interface Search {
	/**
	 * Returns the documents in a range of the index of `searched` that contain the text in a searched column: hits in
	 * the first column, then those in the next one, each the largest value of the index first. A page may be shorter
	 * than its limit although there is a next one, because a store bounds the time it works on a page.
	 * @throws {RangeError} when `after` is not a cursor of this search; {TypeError} when the collection or the text
	 * cannot be searched.
	 */
	search<C extends Columns>(collection: Collection<C>, range: Range, page: SearchPage<C>): Promise<Found<C>>;
}
