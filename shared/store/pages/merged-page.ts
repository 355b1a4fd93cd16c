/** Merges pages of several lists with the same order into one page. The cursor is the last document of the page. */
import { answerBytes } from "#shared/base/answer-size.ts";
import { comparePositions, encodeCursor } from "./cursor.ts";
import { PageRoom } from "./page-room.ts";
import type { FoundDocuments, ListedDocument } from "./stored-page.ts";

/**
 * Returns the page, the largest value first and ties by id, as a store does.
 * @param pages The pages of the lists, read with the limit and the cursor of the merged page.
 * @param valueOf Returns the value that the lists are sorted by.
 */
export function mergedPage<D extends ListedDocument>(
	pages: readonly FoundDocuments<D>[],
	valueOf: (document: D) => string,
	limit: number,
): FoundDocuments {
	const positionOf = (document: D) => ({ value: valueOf(document), id: document.id });
	const newestFirst = (a: D, b: D) => comparePositions(positionOf(b), positionOf(a));
	const all = pages.flatMap(({ documents }) => documents).sort(newestFirst);
	// Documents behind the end of one list's page may come before the rest of the others'.
	const ends = pages.flatMap(({ documents, next }) => (next === undefined ? [] : documents.slice(-1)));
	const [end] = ends.sort(newestFirst);
	const room = new PageRoom(limit, answerBytes);
	const first = all.findIndex((one) => (end && newestFirst(one, end) > 0) || !room.take(one.wire));
	const documents = first === -1 ? all : all.slice(0, first);
	const last = documents.at(-1);
	const hasMore = documents.length < all.length || end !== undefined;
	if (!last || !hasMore) return { documents };
	return { documents, next: encodeCursor(positionOf(last)) };
}
