/**
 * A small fault run, and the controls: without a protection the checker says so.
 * Long: it starts platforms with one protection less, one after the other.
 * Alone: it measures how soon the platform recovers.
 */
import { expect } from "chai";
import { controls, isCaught, withoutProtection } from "./controls.ts";
import { faultRun, type FaultReport } from "./fault-run.ts";
import { isBroken, type Verdict } from "./testbed.ts";
import { patchedTree } from "./patched-tree.ts";
import { table } from "./table.ts";

const quick = controls.filter((control) => control.quick);

/** Waits make up most of their time, so the controls run concurrently. */
describe("faults", function () {
	this.timeout(300_000);
	let run: Promise<FaultReport>;
	let outcomes: Map<string, Promise<Verdict>>;

	before(() => {
		run = faultRun({ seed: 2355, kills: 3 });
		outcomes = new Map(quick.map((control) => [control.name, withoutProtection(control)]));
		// Each rejection is handled in its test.
		for (const outcome of [run, ...outcomes.values()]) outcome.catch(() => {});
	});

	it("of every kind leave every session where its last acknowledged command wants it", async () => {
		const report = await run;
		console.log(table(report).replaceAll(/^/gm, "      "));
		expect(isBroken(report.invariants), JSON.stringify(report.invariants)).to.equal(false);
	});

	it("have controls whose patches apply to the sources", () => {
		for (const { patches } of controls) patchedTree(patches)[Symbol.dispose]();
	});

	for (const control of quick)
		it(`control: ${control.name}`, async () => {
			const broken = (await outcomes.get(control.name)) ?? {};
			expect(isCaught(control, broken), JSON.stringify(broken)).to.equal(true);
		});
});
