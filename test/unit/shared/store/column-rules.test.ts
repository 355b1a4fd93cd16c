import { expect } from "chai";
import { checkChange, checkDocument, checkGuard, checkOutbox, isKey } from "#shared/store/column-rules.ts";
import { event, job, jobs, log } from "../../../support/stores/sample-collections.ts";

describe("checkDocument()", () => {
	it("accepts values of the declared types only", () => {
		checkDocument(jobs, { ...job("a"), notes: [null, { a: 1 }], spent: -5 });
		const wrong: [columns: object, words: string][] = [
			[{ state: 1 }, "the value is not text"],
			[{ rev: "1" }, "the value is not integer"],
			[{ rev: 1.5 }, "the value is not integer"],
			[{ rev: 2 ** 53 }, "the value is not integer"],
			[{ rev: null }, "the value is not integer"],
			[{ notes: undefined }, "the value is not json"],
			[{ other: 1 }, "there is no such column"],
		];
		for (const [columns, words] of wrong)
			expect(() => checkDocument(jobs, { ...job("a"), ...columns }), JSON.stringify(columns)).to.throw(
				TypeError,
				words,
			);
		expect(() => checkDocument(jobs, { id: "", wire: "" })).not.to.throw();
	});
});

describe("checkOutbox()", () => {
	it("accepts events only in collections with an outbox", () => {
		checkOutbox(jobs, [event(1)]);
		checkOutbox(log, []);
		expect(() => checkOutbox(log, [event(1)])).to.throw(TypeError, '"log": it has no outbox');
	});
});

describe("checkGuard()", () => {
	it("accepts at most four comparable columns", () => {
		checkGuard(jobs, { equals: { tenant: "a", state: "b", made: "c", rev: 1 } });
		const five = { tenant: "a", state: "b", made: "c", rev: 1, spent: 1 };
		expect(() => checkGuard(jobs, { equals: five })).to.throw(TypeError, "at most 4 columns");
		expect(() => checkGuard(jobs, { equals: { notes: [] } })).to.throw(TypeError, "a json column is not compared");
	});

	it("accepts sums of integers only", () => {
		checkGuard(jobs, { fits: { column: "spent", plus: 5, limit: "budget" } });
		const fits = { column: "spent", plus: 5, limit: "budget" };
		for (const odd of [
			{ ...fits, plus: 0.5 },
			{ ...fits, column: "state" },
			{ ...fits, limit: "state" },
			{ ...fits, limit: "other" },
		])
			expect(() => checkGuard(jobs, { fits: odd }), JSON.stringify(odd)).to.throw(TypeError);
	});
});

describe("checkChange()", () => {
	it("accepts each column once, for operations of its type", () => {
		checkChange(jobs, { set: { state: "x" }, unset: ["due_at"], inc: { spent: 1 }, push: { notes: { n: 1 } } });
		const wrong: [change: object, words: string][] = [
			[{ set: { rev: 1 }, inc: { rev: 1 } }, "a change names a column once"],
			[{ set: { notes: [] }, pull: { notes: 1 } }, "a change names a column once"],
			[{ unset: ["rev", "rev"] }, "a change names a column once"],
			[{ unset: ["other"] }, "there is no such column"],
			[{ inc: { state: 1 } }, "the value is not text"],
			[{ inc: { rev: 0.5 } }, "the value is not integer"],
			[{ push: { rev: 1 } }, "it is not json"],
			[{ pull: { rev: 1 } }, "it is not json"],
		];
		for (const [change, words] of wrong)
			expect(() => checkChange(jobs, change), JSON.stringify(change)).to.throw(TypeError, words);
	});

	it("refuses additions to a column of a unique index", () => {
		expect(() => checkChange(log, { inc: { seq: 1 } })).to.throw(
			TypeError,
			"a column of a unique index is not added to",
		);
		expect([isKey(log, "seq"), isKey(jobs, "key"), isKey(jobs, "rev"), isKey(jobs, "made")]).to.deep.equal([
			true,
			true,
			false,
			false,
		]);
	});
});
