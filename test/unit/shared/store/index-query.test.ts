import { expect } from "chai";
import { encodeCursor } from "#shared/store/pages/cursor.ts";
import type { Range } from "#shared/store/port/documents.ts";
import { cursorAt, indexQuery, positionAfter } from "#shared/store/index-query.ts";
import { job, jobs } from "../../../support/stores/sample-collections.ts";

describe("indexQuery()", () => {
	it("ranges over the one column that is not given, also without bounds", () => {
		const equal = [
			{ column: "tenant", value: "acme" },
			{ column: "state", value: "new" },
		];
		expect(indexQuery(jobs, "by_state", { equals: ["acme", "new"], from: "b", to: "c" })).to.deep.equal({
			index: "by_state",
			equal,
			ranged: { column: "made", from: "b", to: "c" },
			order: ["made", "id"],
		});
		expect(indexQuery(jobs, "by_state", { equals: ["acme", "new"] }).ranged).to.deep.equal({
			column: "made",
			from: "",
		});
		expect(indexQuery(jobs, "due", { equals: [], to: 7 }).ranged).to.deep.equal({
			column: "due_at",
			from: Number.MIN_SAFE_INTEGER,
			to: 7,
		});
	});

	it("is in the order of ids where all columns are given, and has no ties in a unique index", () => {
		expect(indexQuery(jobs, "by_tenant", { equals: ["acme"] }).order).to.deep.equal(["id"]);
		expect(indexQuery(jobs, "by_key", { equals: ["acme"] }).order).to.deep.equal(["key"]);
		expect(indexQuery(jobs, "by_key", { equals: ["acme", "k"] }).order).to.deep.equal([]);
	});

	const wrong: [index: string, range: Range][] = [
		["other", { equals: [] }],
		["by_state", { equals: ["acme"] }],
		["by_state", { equals: [] }],
		["by_tenant", { equals: ["acme", "x"] }],
		["by_tenant", { equals: ["acme"], from: "x" }],
		["by_tenant", { equals: ["acme"], to: "x" }],
	];
	for (const [index, range] of wrong) {
		it(`refuses ${JSON.stringify(range)} of ${index}`, () => {
			expect(() => indexQuery(jobs, index, range)).to.throw(TypeError);
		});
	}
});

describe("cursorAt() and positionAfter()", () => {
	const due = indexQuery(jobs, "due", { equals: [] });

	it("lead from a document to its place", () => {
		expect(positionAfter(jobs, due, cursorAt(due, job("a", { due_at: 7 })))).to.deep.equal([7, "a"]);
		const byTenant = indexQuery(jobs, "by_tenant", { equals: ["acme"] });
		expect(positionAfter(jobs, byTenant, cursorAt(byTenant, job("a")))).to.deep.equal(["a"]);
	});

	it("refuse a cursor of another list", () => {
		for (const cursor of ["", "x", encodeCursor({ value: "text", id: "a" })])
			expect(() => positionAfter(jobs, due, cursor)).to.throw(RangeError);
		const one = indexQuery(jobs, "by_key", { equals: ["acme", "k"] });
		expect(() => positionAfter(jobs, one, encodeCursor({ value: "k", id: "a" }))).to.throw(RangeError, "one page only");
	});
});
