/** Clients of two gateways, one of which is killed while sessions change: they go on at the other one. */
import { expect } from "chai";
import { loseGateway, summary } from "../../support/cluster/lost-gateway.ts";

const clients = 100;

describe("two gateways, one of which is killed", function () {
	this.timeout(180_000);

	it(`lose and double nothing for ${clients} clients, which are all back within 15 s`, async () => {
		const lost = await loseGateway(clients);
		console.log(`      ${summary(clients, lost)}`);
		expect(lost.faults).to.deep.equal([]);
		expect(lost.seen).to.equal(lost.acknowledged);
		expect(lost.reconnects).to.equal(clients / 2);
		expect(lost.statuses).to.deep.equal(new Set([200]));
		expect(lost.back).to.be.lessThan(3 * 15_000);
		expect(lost.caughtUp).to.be.lessThan(3 * 3_000);
	});
});
