/**
 * The API server of a cluster is away, frozen or slow, refuses calls, or its answers are lost: no session gets two pods, one that runs
 * goes on, and everything is as its owners want soon after. Everything is real but machines, containers and session agents.
 * Night: each fault lasts for 20 to 30 s.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { ApiProxy, type ApiFault, type ProxiedCall } from "../../support/kubernetes/simulated/api-proxy.ts";
import { PodLives } from "../../support/kubernetes/simulated/pod-lives.ts";
import { SimulatedPlatform } from "../../support/kubernetes/simulated/simulated-platform.ts";
import { convergedMs, deleted, leavesNothing } from "../../support/kubernetes/simulated/simulated-sessions.ts";
import { eventually } from "../../support/eventually.ts";
import { createSession, type SessionView } from "../../support/platform/session-steps.ts";

/** Each of so many calls that the choice takes is spoiled. */
function each(count: number, fault: ApiFault, choice: (call: ProxiedCall) => boolean) {
	let calls = 0;
	return (call: ProxiedCall) => (choice(call) && ++calls % count === 0 ? fault : undefined);
}

const isWrite = ({ method }: ProxiedCall) => method !== "GET";
const is = (wanted: string) => (call: ProxiedCall) => call.method === wanted;

const spoilt: Readonly<Record<string, ApiProxy["rule"]>> = {
	"answers to creations are lost": each(2, "lost", is("POST")),
	"answers to deletions are lost": each(2, "lost", is("DELETE")),
	"answers to changes are lost": each(2, "lost", is("PATCH")),
	"every third write is refused with 500": each(3, 500, isWrite),
	"every second call is refused with 429": each(2, 429, ({ isWatch }) => !isWatch),
	// Two creations at the same moment change the used part of a ResourceQuota, and the API asks one of them to come again.
	"every second creation is refused with 409": each(2, 409, is("POST")),
	"every third change or deletion is refused with 409": each(
		3,
		409,
		({ method }) => method === "PATCH" || method === "DELETE",
	),
	"watches are refused with 410": each(1, 410, ({ isWatch }) => isWatch),
	"watches are silent": each(1, "silent", ({ isWatch }) => isWatch),
};

/** The codes of sessions whose time to start is over. */
const timeouts = ["START_TIMEOUT", "PROVISION_TIMEOUT"];

describe("calls to a cluster that are spoiled", function () {
	this.timeout(600_000);
	let bench: SimulatedPlatform;
	let proxy: ApiProxy;
	let lives: PodLives;
	let bystander: string;

	before(async () => {
		bench = await SimulatedPlatform.start({
			async apiPortOf({ server }) {
				proxy = await ApiProxy.listen(server);
				return proxy.port;
			},
		});
		lives = new PodLives(bench.cluster.admin);
		const { id } = await createSession(bench.clientOf(1));
		bystander = id;
		await reach(1, id, "running");
	});
	afterEach(function () {
		if (this.currentTest?.state !== "failed") return;
		console.log(this.currentTest.err?.message);
		for (const { name, output } of bench.managers) console.log(name, output.split("\n").slice(-15).join("\n"));
	});
	after(async () => {
		await lives?.[Symbol.asyncDispose]();
		await bench?.[Symbol.asyncDispose]();
		await proxy?.[Symbol.asyncDispose]();
	});

	/** Waits for a status that a session reaches. @returns Whether it was reached: the fault may have let the time to start run out. */
	async function reach(person: number, id: string, status: string): Promise<boolean> {
		const read = async () => (await bench.clientOf(person).get<SessionView>(`/sessions/${id}`)).body;
		const isThere = async () => [status, "failed"].includes((await read()).status);
		await eventually(isThere, { withinMs: 2 * convergedMs, everyMs: 200, what: `session ${id} is ${status}` });
		const session = await read();
		if (session.status === "failed") expect(session.status_reason?.code).to.be.oneOf(timeouts);
		return session.status === status;
	}

	/** Sessions are started and deleted from the beginning of a fault until after its end. */
	async function under(fault: () => Promise<void>): Promise<void> {
		const api = bench.clientOf(0);
		const former = await createSession(api);
		await reach(0, former.id, "running");
		const going = fault();
		const ids = [former.id];
		for (let n = 0; n < 3; n++) ids.push((await createSession(api)).id);
		await deleted(bench, former.id);
		await going;
		const ended = performance.now();
		const reached = [];
		for (const id of ids.slice(1)) reached.push(await reach(0, id, "running"));
		const seconds = ((performance.now() - ended) / 1_000).toFixed(1);
		console.log(`      ${reached.filter(Boolean).length} of 3 run ${seconds} s after the end of the fault`);
		for (const id of ids.slice(1)) await deleted(bench, id);
		await leavesNothing(bench, ids);
		expect([...lives.doubled]).to.deep.equal([]);
		for (const id of ids) expect(lives.uids.get(id)?.size ?? 0, "the pods of a session").to.be.at.most(1);
		const { body } = await bench.clientOf(1).get<SessionView>(`/sessions/${bystander}`);
		expect([body.status, body.generation]).to.deep.equal(["running", 1]);
		expect(lives.uids.get(bystander)?.size).to.equal(1);
	}

	for (const [what, rule] of Object.entries(spoilt))
		it(what, async () => {
			proxy.spoiled.length = 0;
			await under(async () => {
				proxy.rule = rule;
				proxy.endWatches();
				await sleep(20_000);
				proxy.rule = () => undefined;
			});
			expect(proxy.spoiled).not.to.deep.equal([]);
		});

	it("watches are silent for 100 s, while a session is stopped and started again", async () => {
		const api = bench.clientOf(0);
		const { id } = await createSession(api);
		expect(await reach(0, id, "running")).to.equal(true);
		const view = async () => (await api.get<SessionView>(`/sessions/${id}`)).body;
		proxy.rule = each(1, "silent", ({ isWatch }) => isWatch);
		proxy.endWatches();
		try {
			const until = performance.now() + 100_000;
			await api.post(`/sessions/${id}/stop`);
			expect(await reach(0, id, "stopped")).to.equal(true);
			await api.post(`/sessions/${id}/start`);
			expect(await reach(0, id, "running")).to.equal(true);
			while (performance.now() < until) {
				expect(await view()).to.include({ status: "running", generation: 2 });
				await sleep(1_000);
			}
		} finally {
			proxy.rule = () => undefined;
		}
		expect(lives.uids.get(id)?.size, "the pods of both launches").to.equal(2);
		await deleted(bench, id);
		await leavesNothing(bench, [id]);
	});

	it("the API server is killed and comes back after 20 s", () =>
		under(async () => {
			await bench.cluster.server.killApi();
			await sleep(20_000);
			await bench.cluster.server.startApi();
		}));

	it("etcd is frozen for 20 s", () =>
		under(async () => {
			bench.cluster.server.signal("etcd", "SIGSTOP");
			await sleep(20_000);
			bench.cluster.server.signal("etcd", "SIGCONT");
		}));
});
