/** Removes the first documents of an index, e.g. the oldest ones. */
import type { Collection, Columns } from "./collection.ts";
import type { DocumentStore } from "./document-store.ts";
import { maxRemoved, type Range } from "./port/documents.ts";

/** The most bytes of texts in memory at a time, because a store reads them with the ids. */
const maxReadBytes = 5 * 1024 * 1024;

/** The documents that go, and the most that go at once. */
export interface Removal extends Range {
	/** Default {@link maxRemoved}, and never more. */
	readonly limit?: number;
}

type RemovingStore = Pick<DocumentStore, "find" | "removeMany">;
type Indexed<C extends Columns, I extends string> = Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>;

/** Removes documents in the order of an index; resolves to their count, which is 0 when none is left. */
export async function removeFirst<C extends Columns, I extends string>(
	store: RemovingStore,
	collection: Indexed<C, I>,
	index: NoInfer<I>,
	{ limit = maxRemoved, ...range }: Removal,
): Promise<number> {
	const page = { limit, columns: [], maxBytes: maxReadBytes };
	const ids = (await store.find(collection, index, range, page)).documents.map(({ id }) => id);
	if (ids.length > 0) await store.removeMany(collection, ids);
	return ids.length;
}

export async function removeAll<C extends Columns, I extends string>(
	store: RemovingStore,
	collection: Indexed<C, I>,
	index: NoInfer<I>,
	range: Range,
): Promise<void> {
	while ((await removeFirst(store, collection, index, range)) > 0);
}
