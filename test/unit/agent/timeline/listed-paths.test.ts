import { expect } from "chai";
import fc from "fast-check";
import { readListedPaths } from "#agent/timeline/listed-paths.ts";

describe("readListedPaths()", () => {
	it("reads new, changed and deleted paths, each once", () => {
		expect(readListedPaths("? new\0C changed\0R gone\0C gone\0")).to.deep.equal([
			{ path: "new", isNew: true },
			{ path: "changed", isNew: false },
			{ path: "gone", isNew: false },
		]);
	});

	it("leaves out repositories inside, and an entry that is cut off", () => {
		expect(readListedPaths("? inner/\0? whole\0? cut o")).to.deep.equal([{ path: "whole", isNew: true }]);
		expect(readListedPaths("")).to.deep.equal([]);
	});

	it("reads back any paths", () => {
		const path = fc
			.string({ minLength: 1, unit: "binary" })
			.filter((text) => !text.includes("\0") && !text.endsWith("/"));
		const entries = fc.uniqueArray(fc.record({ path, isNew: fc.boolean() }), { selector: (one) => one.path });
		fc.assert(
			fc.property(entries, (listed) => {
				const output = listed.map((one) => `${one.isNew ? "?" : "C"} ${one.path}\0`).join("");
				expect(readListedPaths(output)).to.deep.equal(listed);
			}),
		);
	});

	it("makes nothing of anything else", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (output) => {
				for (const { path } of readListedPaths(output)) expect(path).to.not.equal("").and.to.not.include("\0");
			}),
		);
	});
});
