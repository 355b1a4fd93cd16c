/**
 * Every gateway and every core of a platform is replaced behind haproxy while people read and change things: no request fails.
 * The pod managers and more load: rolling-upgrade.test.ts.
 * Long: five processes start, and four of them once more.
 */
import { expect } from "chai";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import type { Haproxy } from "../../support/rolling/haproxy.ts";
import { clientBehind, proxyBefore, roll } from "../../support/rolling/rolling-restart.ts";
import { SteadyLoad } from "../../support/rolling/steady-load.ts";

/** A gateway on loopback admits no other port than its own. */
const behindProxy = { gateway: { allowed_hosts: ["127.0.0.1"] } };

describe("a rolling restart", function () {
	this.timeout(240_000);
	let cluster: Cluster;
	let haproxy: Haproxy;

	before(async () => {
		cluster = await startCluster({ podManagers: 1, config: behindProxy });
		haproxy = await proxyBefore(cluster);
	});

	after(async () => {
		await haproxy?.[Symbol.asyncDispose]();
		await cluster?.[Symbol.asyncDispose]();
	});

	it("of gateways and cores fails no request, and every change is there once", async () => {
		const api = clientBehind(haproxy, cluster);
		const load = new SteadyLoad(api, { rate: 20 });
		await roll({ cluster, haproxy }, ["core", "gateway"]);
		await load.end();
		console.log(`      ${load.summary}`);
		expect(load.firstFailures(), cluster.lastLines()).to.equal("");
		expect(await load.doubted()).to.deep.equal([]);
	});
});
