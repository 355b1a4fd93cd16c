/**
 * A cluster loses a gateway, a way to its store, a pod manager, and then the power; the whole run is `npm run test:cluster`.
 * Long: five processes start, and start again.
 * Alone: it measures how soon the platform recovers.
 */
import { expect } from "chai";
import { withoutMongod } from "../../support/stores/mongod-set.ts";
import { isBroken } from "../testbed.ts";
import { clusterRun } from "./cluster-run.ts";
import { clusterTable } from "./cluster-table.ts";

const faults = [
	"kill -9 of a gateway",
	"a core cut off from the store (refused)",
	"kill -9 of a pod-manager",
	"power cut, session agents die too",
];

describe("a cluster under faults", function () {
	this.timeout(600_000);

	const title = "loses nothing acknowledged and recovers by itself, also from a power cut";
	if (withoutMongod !== undefined) it(`${title}: ${withoutMongod}`);
	else
		it(title, async () => {
			const report = await clusterRun({
				seed: 15,
				isSmall: true,
				faults: faults.length,
				only: faults,
				scale: 0.1,
				sessions: 2,
			});
			const table = clusterTable(report);
			console.log(table.replaceAll(/^/gm, "      "));
			expect(isBroken(report.invariants) || report.wrong.length > 0, table).to.equal(false);
			expect(Object.keys(report.faults)).to.have.members(faults);
		});
});
