/** A platform of several processes of each kind over real NATS and MongoDB servers: whichever is asked, it is one. */
import { expect } from "chai";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { createSession, sessionReaches } from "../../support/platform/session-steps.ts";

describe("a cluster", function () {
	this.timeout(120_000);
	let cluster: Cluster;

	before(async () => {
		cluster = await startCluster({ proxies: true });
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(cluster?.lastLines());
	});
	after(() => cluster?.[Symbol.asyncDispose]());

	it("shows at every gateway what was done at another one, also while a pod manager is cut off from the bus", async () => {
		const [first, second] = [cluster.client("gateway-1"), cluster.client("gateway-2")];
		await using told = await cluster.events("gateway-2");
		const { bus } = cluster.member("pod-manager-1").network;
		bus.refuse();
		const { id } = await createSession(first);
		await told.event(({ event, data }) => event === "session_created" && data.includes(id));
		expect((await second.get(`/sessions/${id}`)).status).to.equal(200);
		bus.pass();
		await sessionReaches(second, id, "running");
	});

	it("answers at one gateway while the other one is dead, and at that one again after its start", async () => {
		const gateway = cluster.member("gateway-2");
		await gateway.kill();
		const { id } = await createSession(cluster.client("gateway-1"));
		await gateway.start();
		await sessionReaches(cluster.client("gateway-2"), id, "running");
	});
});
