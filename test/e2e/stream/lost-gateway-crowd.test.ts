/**
 * A thousand clients of two gateways, one of which is killed while sessions change.
 * Night: it connects a thousand clients twice.
 * Alone: it is a load to the machine.
 */
import { expect } from "chai";
import { loseGateway, summary } from "../../support/cluster/lost-gateway.ts";

const clients = 1_000;

describe("two gateways with a crowd, one of which is killed", function () {
	this.timeout(300_000);

	it(`lose and double nothing for ${clients} clients, which are all back within 15 s`, async () => {
		const lost = await loseGateway(clients);
		console.log(`      ${summary(clients, lost)}`);
		expect(lost.faults).to.deep.equal([]);
		expect(lost.seen).to.equal(lost.acknowledged);
		expect(lost.reconnects).to.equal(clients / 2);
		expect(lost.statuses).to.deep.equal(new Set([200]));
		expect(lost.back).to.be.lessThan(15_000);
		expect(lost.caughtUp).to.be.lessThan(3_000);
	});
});
