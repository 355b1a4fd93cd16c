/** The capacity that many calls of one caller leave for others, in one process and over NATS. */
import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import { eventually } from "../../support/eventually.ts";
import { ProbeService, probe } from "../../support/bus/probe-service.ts";
import { alice, bob, callAs, type Nodes, startNodes } from "../../support/bus/test-brokers.ts";

const thing_id = "0193a5c0-0000-7000-8000-000000000001";
/** The number exceeds the concurrent calls of an action. */
const crowd = 300;

for (const count of [1, 2] as const) {
	describe(`calls that wait for what their caller has made slow, ${count} node(s)`, function () {
		this.timeout(60_000);
		let nodes: Nodes;
		let service: ProbeService;

		before(async () => {
			service = new ProbeService();
			nodes = await startNodes(count, [service.schema]);
		});
		after(() => nodes?.stop());

		it("do not delay other principals' calls of the same action", async () => {
			const { promise, resolve } = Promise.withResolvers<void>();
			service.held = promise;
			const read = (who: Principal) => callAs(nodes.near, who, probe.actions.read, { thing_id });
			const seenOf = (who: Principal) => service.seen.filter(({ principal }) => principal.id === who.id).length;
			const hers = Promise.all(Array.from({ length: crowd }, () => read(alice)));
			try {
				await eventually(() => seenOf(alice) > 0);
				const his = read(bob);
				await eventually(() => seenOf(bob) === 1, {
					withinMs: 5_000,
					what: "his call is under way beside all of hers",
				});
				expect(seenOf(alice)).to.be.below(crowd);
				resolve();
				await his;
			} finally {
				resolve();
				await hers;
			}
			expect(seenOf(alice), "hers have their turns all the same").to.equal(crowd);
		});
	});
}
