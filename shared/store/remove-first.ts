/** Removes the first documents of an index, e.g. the oldest ones. */
import type { Collection, Columns } from "./collection.ts";
import { type DocumentStore, maxRemoved, type Range } from "./document-store.ts";

/** The documents that go, and the most that go at once. */
export interface Removal extends Range {
	/** Default {@link maxRemoved}, and never more. */
	readonly limit?: number;
}

/** Removes documents in the order of an index; resolves to their count, which is below the limit when none is left. */
export async function removeFirst<C extends Columns, I extends string>(
	store: Pick<DocumentStore, "find" | "removeMany">,
	collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
	index: NoInfer<I>,
	{ limit = maxRemoved, ...range }: Removal,
): Promise<number> {
	const { documents } = await store.find(collection, index, range, { limit, columns: [] });
	const ids = documents.map(({ id }) => id);
	if (ids.length > 0) await store.removeMany(collection, ids);
	return ids.length;
}
