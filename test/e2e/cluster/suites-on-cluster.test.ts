/**
 * The walker of the contract, the two people and the proof of access, unchanged, against two gateways, two cores and two pod managers over NATS and
 * MongoDB: as many tests pass as in one process.
 * Night: each suite runs twice, once on a cluster, which takes minutes.
 */
import { expect } from "chai";
import { MochaProcess } from "../../mocha-process.ts";
import { withoutMongod } from "../../support/stores/mongod-set.ts";

const suites = [
	"test/e2e/api/conformance.test.ts",
	"test/e2e/security/tenancy.test.ts",
	"test/e2e/security/access-proof.test.ts",
];

/** Loaded before the tests. Needs: nats-server. */
const preload = "./test/support/cluster/clustered-platforms.ts";

describe("the suites of one process, on a cluster", function () {
	this.timeout(1_800_000);

	for (const suite of suites) {
		if (withoutMongod !== undefined) it(`${suite}: ${withoutMongod}`);
		else
			it(`${suite} passes with as many tests`, async () => {
				const alone = new MochaProcess([suite]);
				const { passing, failing, pending } = await alone.ended();
				expect(failing, alone.ending).to.equal(0);
				const clustered = new MochaProcess([suite], ["--import", preload]);
				const outcome = await clustered.ended();
				console.log(`      ${passing} in one process, ${outcome.passing} on the cluster`);
				expect(clustered.output).to.include("on gateway-1, gateway-2, core-1, core-2, pod-manager-1, pod-manager-2");
				expect(outcome, clustered.ending).to.deep.equal({ passing, failing: 0, pending });
			});
	}
});
