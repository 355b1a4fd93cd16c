/**
 * A process that may move events is killed while sessions change: the other one goes on with it, and nothing is lost.
 * Night: it starts a cluster for one kill.
 */
import { expect } from "chai";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { eventually } from "../../support/eventually.ts";

/** The longest time until another process moves events, in milliseconds, and three times that for a busy machine. */
const takeoverMs = 3 * 5_000;

describe("the process that moves events", function () {
	this.timeout(240_000);
	let cluster: Cluster;

	before(async () => {
		cluster = await startCluster({ gateways: 1 });
		// Nothing but this test changes sessions when there is no pod manager.
		await cluster.member("pod-manager-1").kill();
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(cluster?.lastLines());
	});
	after(() => cluster?.[Symbol.asyncDispose]());

	/** Renames the session, as often as it takes: a request to a dead process may fail. */
	async function rename(id: string, name: string): Promise<void> {
		const client = cluster.client();
		await eventually(async () => (await client.put(`/sessions/${id}`, { name })).status === 200, { withinMs: 60_000 });
	}

	it("may be killed: events go on within five seconds, each once and in order", async () => {
		const { body } = await cluster.client().post<{ id: string }>("/sessions", { name: "first" });
		await using told = await cluster.events();
		await rename(body.id, "before");
		await told.event(({ data }) => data.includes('"before"'));
		await cluster.member("core-1").kill();
		await rename(body.id, "after");
		const since = performance.now();
		await told.event(({ data }) => data.includes('"after"'), { withinMs: takeoverMs });
		console.log(`      the event came ${Math.round(performance.now() - since)} ms after its answer`);
		const revs = told.events.filter(({ event }) => event === "session_updated").map(({ data }) => JSON.parse(data).rev);
		expect(revs).to.deep.equal(revs.toSorted((a, b) => a - b));
		expect(new Set(revs).size).to.equal(revs.length);
		expect(revs.at(-1) - revs[0]).to.equal(revs.length - 1);
	});
});
