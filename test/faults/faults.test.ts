/** A small fault run, and the controls: without a protection the checker says so. */
import { expect } from "chai";
import { controls } from "./controls.ts";
import { faultRun } from "./fault-run.ts";
import { patchedTree } from "./patched-tree.ts";
import { table } from "./table.ts";

describe("faults", function () {
	this.timeout(120_000);

	it("of every kind leave every session where its last acknowledged command wants it", async () => {
		const report = await faultRun({ seed: 11, kills: 5 });
		console.log(table(report).replaceAll(/^/gm, "      "));
		const broken = Object.entries(report.invariants).filter(([, wrong]) => wrong.length > 0);
		expect(broken).to.deep.equal([]);
	});

	for (const { name, patches, breaks } of controls)
		it(`control: ${name}`, async () => {
			using tree = patchedTree(patches);
			const { invariants } = await faultRun({ seed: 5, kills: 1, sessions: 6, settleMs: 3_000, root: tree.root });
			const broken = Object.keys(invariants).filter((invariant) => (invariants[invariant] ?? []).length > 0);
			expect(broken.map((invariant) => invariant.slice(0, 2))).to.include(breaks);
		});
});
