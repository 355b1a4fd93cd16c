/** Names that an engine could take for something else are refused where they are declared. */
import { expect } from "chai";
import { defineCollection } from "#shared/store/collection.ts";

describe("defineCollection()", () => {
	it("refuses names that are not plain or belong to the store", () => {
		for (const name of ["", "Jobs", 'jobs"', "jobs.x", "$jobs", "1jobs"])
			expect(() => defineCollection(name, {}, {}), name).to.throw(TypeError, "is not a name that may be used");
		for (const column of ["", "id", "wire", "_outbox", "$set", "a.b", 'a"b', "a b"])
			expect(() => defineCollection("jobs", { [column]: "text" }, {}), column).to.throw(TypeError, `"${column}"`);
		expect(() => defineCollection("jobs", { a: "text" }, { _outbox: { columns: ["a"] } })).to.throw(TypeError);
	});

	it("refuses an index over other than text and integer columns", () => {
		expect(() => defineCollection("jobs", { a: "json" }, { by: { columns: ["a"] } })).to.throw(TypeError, '"a"');
		expect(() => defineCollection("jobs", { a: "text" }, { by: { columns: ["b"] } })).to.throw(TypeError, '"b"');
	});

	it("accepts names of one or several words", () => {
		const defined = defineCollection(
			"event_log-2",
			{ dueAt: "integer", ids: "text" },
			{ by_due: { columns: ["dueAt"] } },
		);
		expect(defined.name).to.equal("event_log-2");
	});
});
