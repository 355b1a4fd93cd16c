import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "#shared/base/project-root.ts";

/** The members of a row: the finding, and the file and the words of the test that holds it. */
const row = /^\| ([CHML]\d+)[^|]*\|[^|]*\| `([^`]+)`: ([^|]+) \|/gm;

describe("docs/evidence/findings.md", () => {
	const page = readFileSync(join(projectRoot, "docs/evidence/findings.md"), "utf8");
	const rows = [...page.matchAll(row)].map(([, finding = "", file = "", words = ""]) => ({ finding, file, words }));

	it("names a test for every finding of the review that is not postponed", () => {
		const numbers = { C: 1, H: 10, M: 13, L: 14 };
		const later = ["M7", "M8", "M9", "M11"];
		const all = Object.entries(numbers).flatMap(([kind, last]) =>
			Array.from({ length: last }, (_, index) => `${kind}${index + 1}`),
		);
		const named = new Set(rows.map(({ finding }) => finding));
		expect(all.filter((finding) => !named.has(finding))).to.deep.equal(later);
	});

	it("names existing tests", () => {
		for (const { finding, file, words } of rows) {
			expect(existsSync(join(projectRoot, file)), `${finding}: ${file}`).to.equal(true);
			expect(readFileSync(join(projectRoot, file), "utf8"), finding).to.include(words);
		}
	});
});
