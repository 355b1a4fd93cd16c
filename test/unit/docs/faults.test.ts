import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { section } from "../../faults/record.ts";

describe("docs/evidence/faults.md", () => {
	it("shows the run that is recorded in bench/results/faults.json", () => {
		const record = JSON.parse(readFileSync(join(projectRoot, "bench/results/faults.json"), "utf8"));
		expect(readFileSync(join(projectRoot, "docs/evidence/faults.md"), "utf8")).to.include(section(record));
	});
});
