/** Reads on through an index, page by page. */
import { nextTurn } from "#shared/base/clock.ts";
import type { Collection, Columns, Document } from "../collection.ts";
import type { DocumentPage, Documents, Range } from "../port/documents.ts";

/** The documents to read; `limit` is that of one page, and `after` the cursor to begin at. */
export interface PagedRead<C extends Columns> extends Range, DocumentPage<C> {
	/** The most pages; default all. */
	readonly pages?: number;
}

/**
 * Yields the pages of a range of an index. Others get their turn between two of them. @throws {RangeError} as
 * {@link Documents.find} does.
 */
export async function* readPages<C extends Columns, I extends string>(
	store: Pick<Documents, "find">,
	collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
	index: NoInfer<I>,
	{ pages = Infinity, ...read }: PagedRead<C>,
): AsyncGenerator<readonly Document<C>[]> {
	let page: PagedRead<C> = read;
	for (let count = 1; ; count++) {
		const { documents, next } = await store.find(collection, index, page, page);
		yield documents;
		if (next === undefined || count >= pages) return;
		page = { ...page, after: next };
		await nextTurn();
	}
}
