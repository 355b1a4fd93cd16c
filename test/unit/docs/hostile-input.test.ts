import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

describe("docs/evidence/hostile-input.md", () => {
	const page = readFileSync(join(projectRoot, "docs/evidence/hostile-input.md"), "utf8");
	const rows = [...page.matchAll(/^\| (.+) \| `(test\/[^`]+\.test\.ts)` \| (.+) \|$/gm)];

	it("names a test for every attack", () => {
		const attacks = page.split("\n").filter((line) => line.startsWith("| ") && !/^\| (attack|---) \|/.test(line));
		expect(rows).to.have.length(attacks.length).above(50);
	});

	for (const [, attack, file = "", title = ""] of rows) {
		it(`${attack}: "${title}"`, () => {
			expect(readFileSync(join(projectRoot, file), "utf8")).to.include(title);
		});
	}
});
