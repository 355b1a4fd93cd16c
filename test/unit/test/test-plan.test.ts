/** The processes in which the files of a run are. */
import { expect } from "chai";
import { globSync } from "node:fs";
import { dirname } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { isQuick, needsOf } from "../../test-needs.ts";
import { planned } from "../../test-plan.ts";

const every = globSync("test/**/*.test.ts", { cwd: projectRoot });
const { together, alone } = planned(every);

describe("the plan of a run", () => {
	it("has every file once", () => {
		expect([...together, ...alone].flat().toSorted()).to.deep.equal(every.toSorted());
	});

	it("puts quick files of one folder of integration into a process, at most eight, and no other ones", () => {
		const shared = together.filter(
			({ length: count, 0: first = "" }) => count > 1 && first.startsWith("test/integration/"),
		);
		expect(shared.length).to.be.above(10);
		for (const files of shared) {
			expect(files.length).to.be.at.most(8);
			expect(
				new Set(files.map((file) => dirname(file).split("/").slice(0, 3).join("/"))),
				files.join(),
			).to.have.property("size", 1);
			for (const file of files) expect(isQuick(needsOf(file)), file).to.equal(true);
		}
	});

	it("gives each end-to-end test a process of its own", () => {
		for (const files of together)
			if (files.some((file) => file.startsWith("test/e2e/") && !needsOf(file).programs.includes("agents")))
				expect(files).to.have.length(1);
	});

	it("begins with groups of most files", () => {
		const counts = together.filter(([first = ""]) => first.startsWith("test/integration/")).map(({ length }) => length);
		expect(counts).to.deep.equal(counts.toSorted((a, b) => b - a));
	});
});
