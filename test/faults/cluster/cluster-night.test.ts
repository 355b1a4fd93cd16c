/**
 * The whole cluster run: faults of every kind for half an hour, and twenty power cuts.
 * Night: it takes most of an hour.
 * Alone: it measures how soon the platform recovers.
 */
import { expect } from "chai";
import { patience } from "../../support/machine/patience.ts";
import { withoutMongod } from "../../support/stores/mongod-set.ts";
import { isBroken } from "../testbed.ts";
import { clusterRun } from "./cluster-run.ts";
import { clusterTable, powerCutTable } from "./cluster-table.ts";
import { isBad, powerCutRun } from "./power-cut.ts";

describe("a cluster under all faults", function () {
	this.timeout(3_600_000);

	before(() => {
		if (withoutMongod !== undefined) throw new Error(withoutMongod);
	});

	it("loses nothing acknowledged and recovers by itself", async () => {
		const report = await clusterRun({ seed: 1_500, faults: 200, minutes: 30 });
		const table = clusterTable(report);
		console.log(table);
		expect(isBroken(report.invariants) || report.wrong.length > 0, table).to.equal(false);
	});

	it("has everything that was acknowledged within 30 s of a power cut, 20 times", async () => {
		const report = await powerCutRun({ seed: 1_500, cuts: 20 });
		const table = powerCutTable(report);
		console.log(table);
		for (const cut of report.cuts) expect(isBad(cut, 3 * patience()), table).to.equal(false);
	});
});
