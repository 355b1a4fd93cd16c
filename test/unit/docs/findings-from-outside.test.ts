/** The tests that docs/findings-from-outside.md names exist, each with the words of the table. */
import { expect } from "chai";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** A cell that names a test: its file, and some words of its title. */
const testCell = /\| `(test\/[^`]+)`: ([^|]+) \|/g;

describe("docs/findings-from-outside.md", () => {
	const page = readFileSync(join(projectRoot, "docs/findings-from-outside.md"), "utf8");

	it("names existing tests", () => {
		for (const [, file = "", words = ""] of page.matchAll(testCell)) {
			expect(existsSync(join(projectRoot, file)), file).to.equal(true);
			expect(readFileSync(join(projectRoot, file), "utf8"), file).to.include(words);
		}
	});

	it("names a test in every row", () => {
		const rows = page
			.split("\n")
			.filter((line) => /^\| (?!finding |mistake |-)/.test(line) && !line.startsWith("|---"));
		expect(rows.filter((line) => !line.includes("| `test/"))).to.deep.equal([]);
	});
});
