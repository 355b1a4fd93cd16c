import { expect } from "chai";
import { RowCache } from "#shared/store/row-cache.ts";

describe("RowCache", () => {
	it("finds a row by its document and its statement, until it is removed", () => {
		const rows = new RowCache();
		const [whole, part] = [{ id: "a", wire: "{}", rev: 1 }, { id: "a" }];
		rows.store("jobs", "a", "whole", whole);
		rows.store("jobs", "a", "part", part);
		expect([rows.get("jobs", "a", "whole"), rows.get("jobs", "a", "part")]).to.deep.equal([whole, part]);
		for (const [collection, id] of [
			["jobs", "b"],
			["logs", "a"],
		] as const)
			expect(rows.get(collection, id, "whole")).to.equal(undefined);
		rows.forget("jobs", "a");
		expect([rows.get("jobs", "a", "whole"), rows.get("jobs", "a", "part")]).to.deep.equal([undefined, undefined]);
	});

	it("is bounded: the oldest rows are removed, and long texts are not added", () => {
		const rows = new RowCache({ documents: 2, textLength: 5 });
		for (const id of ["a", "b", "c"]) rows.store("jobs", id, "whole", { wire: "12345" });
		rows.store("jobs", "d", "whole", { wire: "123456" });
		expect(["a", "b", "c", "d"].filter((id) => rows.get("jobs", id, "whole"))).to.deep.equal(["b", "c"]);
	});
});
