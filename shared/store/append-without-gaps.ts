/** Appends to a log with numbers without gaps, for any number of concurrent writers. */
import { tooFast } from "./compare-and-set.ts";
import { type Appended, maxAppended } from "./port/documents.ts";

/** A collection with a unique index over the number; a document's id identifies its item. */
export interface NumberedLog<Item, Row> {
	/** The subject of the sentence that refuses items after too many lost races, e.g. `The ledger`. */
	readonly what: string;
	/** The newest number in the log; 0 while it is empty. */
	readonly newest: () => Promise<number>;
	readonly rowOf: (item: Item, seq: number) => Row;
	/** Inserts rows in their order up to the first clash, as a store's `append` does. */
	readonly append: (rows: readonly Row[]) => Promise<Appended>;
	/** Called for each item in its order as soon as it is in. @param isNew False when its id was in the log before. */
	readonly onAppended?: (item: Item, isNew: boolean) => void;
}

export interface AppendedItems {
	/** The newest number that is known to be taken; without repeated items, that of the last item. */
	readonly seq: number;
	/** How many items were in the log before. */
	readonly repeated: number;
}

/** The lost races, beside one per item, after which the remaining items are given up. */
const maxRaces = 50;

/**
 * Appends items in their order, each once: one whose id is in the log already gets no second number. Where another writer
 * takes a number first, the items go on behind its newest one.
 * @throws {UnavailableError} after too many lost races; the items that `onAppended` was called for are in.
 * @example
 * ```ts
 * const log = {
 * 	what: "The ledger",
 * 	newest: async () => (await store.find(ledger, "by_seq", { equals: [] }, newestFirst)).documents[0]?.seq ?? 0,
 * 	rowOf: (row, seq) => ({ ...row, seq }),
 * 	append: (rows) => store.append(ledger, rows),
 * };
 * const { seq } = await appendWithoutGaps(log, [{ id: "report-1", wire: "{}" }]);
 * ```
 */
export async function appendWithoutGaps<Item, Row>(
	{ what, newest, rowOf, append, onAppended = () => {} }: NumberedLog<Item, Row>,
	items: readonly Item[],
): Promise<AppendedItems> {
	let remaining = items;
	let repeated = 0;
	let seq = await newest();
	for (let tries = 0; remaining.length > 0; tries++) {
		if (tries > maxRaces + items.length) throw tooFast(what);
		const rows = remaining.slice(0, maxAppended).map((item, index) => rowOf(item, seq + 1 + index));
		const { inserted, clash } = await append(rows);
		for (const item of remaining.slice(0, inserted)) onAppended(item, true);
		seq += inserted;
		remaining = remaining.slice(inserted);
		if (clash === "id") {
			const [known, ...others] = remaining;
			if (known !== undefined) onAppended(known, false);
			remaining = others;
			repeated++;
		} else if (clash !== undefined) seq = await newest();
	}
	return { seq, repeated };
}
