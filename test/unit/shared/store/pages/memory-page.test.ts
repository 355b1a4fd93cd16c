import { expect } from "chai";
import { BadRequestError } from "#shared/base/errors.ts";
import { memoryPage, memoryPageInOrder } from "#shared/store/pages/memory-page.ts";

interface Item {
	rank: number;
	name: string;
}

const list: Item[] = [
	{ rank: 20, name: "c" },
	{ rank: 10, name: "b" },
	{ rank: 10, name: "a" },
	{ rank: 100, name: "d" },
];

const positionOf = ({ rank, name }: Item) => ({ value: rank, id: name });

function namesOf({ items }: { items: Item[] }): string {
	return items.map(({ name }) => name).join("");
}

describe("memoryPage()", () => {
	it("is the whole list by value and then by id if it fits", () => {
		const page = memoryPage(list, positionOf, { limit: 4 });
		expect([namesOf(page), page.next]).to.deep.equal(["abcd", undefined]);
	});

	it("continues after the previous page, also when an item of it was removed", () => {
		const first = memoryPage(list, positionOf, { limit: 2 });
		expect(namesOf(first)).to.equal("ab");
		const without = list.filter(({ name }) => name !== "b");
		const second = memoryPage(without, positionOf, { limit: 2, cursor: first.next });
		expect([namesOf(second), second.next]).to.deep.equal(["cd", undefined]);
	});

	it("ends by bytes, with at least one item", () => {
		const large = ["a", "b"].map((name) => ({ rank: 0, name: name.repeat(900_000) }));
		expect(memoryPage(large, positionOf, { limit: 9 }).items).to.have.length(1);
	});

	it("reports that a client has the page, until the page changes", () => {
		const { etag } = memoryPage(list, positionOf, { limit: 2 });
		const known = `"other", ${etag}`;
		expect(memoryPage(list, positionOf, { limit: 2, known })).to.deep.equal({ items: [], etag, unchanged: true });
		expect(memoryPage(list, positionOf, { limit: 3, known })).not.to.have.property("unchanged");
		expect(memoryPage(list.slice(1), positionOf, { limit: 2, known })).to.have.property("etag", etag);
		expect(memoryPage(list.slice(2), positionOf, { limit: 2, known })).not.to.have.property("unchanged");
	});

	it("refuses a cursor that is not ours", () => {
		expect(() => memoryPage(list, positionOf, { limit: 2, cursor: "x" })).to.throw(BadRequestError);
	});
});

describe("memoryPageInOrder()", () => {
	it("keeps the order of the list", () => {
		const own = ["c", "a", "b", ...Array.from({ length: 20 }, (_, n) => `x${n}`)].map((id) => ({ id }));
		const seen: string[] = [];
		for (let cursor: string | undefined; ; ) {
			const { items, next } = memoryPageInOrder(own, { limit: 2, cursor });
			seen.push(...items.map(({ id }) => id));
			if (next === undefined) break;
			cursor = next;
		}
		expect(seen).to.deep.equal(own.map(({ id }) => id));
	});
});
