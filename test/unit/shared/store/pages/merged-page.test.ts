import { expect } from "chai";
import fc from "fast-check";
import { decodeCursor } from "#shared/store/pages/cursor.ts";
import { mergedPage } from "#shared/store/pages/merged-page.ts";

interface Item {
	readonly id: string;
	readonly wire: string;
	readonly at: string;
}

/** Reads a page of one list as a store does: the largest value first, ties by id. */
function pageOf(list: readonly Item[], limit: number, after?: string) {
	const end = after === undefined ? undefined : decodeCursor(after);
	const key = ({ at, id }: { at: string; id: string }) => `${at} ${id}`;
	const left = list
		.toSorted((a, b) => (key(a) < key(b) ? 1 : -1))
		.filter((item) => !end || key(item) < key({ at: String(end.value), id: end.id }));
	return { documents: left.slice(0, limit), ...(left.length > limit && { next: "more" }) };
}

describe("mergedPage()", () => {
	it("walks over all documents of both lists once, in order, whatever the limit", () => {
		const item = fc.tuple(fc.constantFrom("1", "2", "3"), fc.boolean());
		fc.assert(
			fc.property(fc.array(item, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (made, limit) => {
				const items = made.map(([at, first], n) => ({ id: `i${String(n).padStart(2, "0")}`, wire: "{}", at, first }));
				const lists = [items.filter(({ first }) => first), items.filter(({ first }) => !first)];
				const seen: string[] = [];
				let after: string | undefined;
				do {
					const pages = lists.map((list) => pageOf(list, limit, after));
					const { documents, next } = mergedPage(pages, ({ at }) => at, limit);
					expect(documents.length).to.be.at.most(limit);
					seen.push(...documents.map(({ id }) => id));
					after = next;
				} while (after !== undefined);
				expect(seen).to.deep.equal(pageOf(items, 100).documents.map(({ id }) => id));
			}),
		);
	});
});
