/**
 * Processes of the release before and of this one work over one store and one bus: each reads what the other has written,
 * and no session gets a second pod.
 * Night: it starts six processes, and replaces three of them.
 */
import { expect } from "chai";
import { projectRoot } from "#shared/base/project-root.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import type { ClusterMember } from "../../support/cluster/cluster-member.ts";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { eventually } from "../../support/eventually.ts";
import type { SessionProcess } from "../../support/platform/session-processes.ts";
import { ask, createSession, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { FormerTree, formerCommit, hasCommit } from "../../support/rolling/former-tree.ts";

const slow = { withinMs: 60_000, everyMs: 100 } as const;

/** The process of each kind that is replaced, in the order of docs/upgrade.md; its twin stays. */
const replaced = ["core-2", "pod-manager-2", "gateway-2"] as const;

/** The former gateway and the new one. */
const gateways = ["gateway-1", "gateway-2"] as const;

interface View {
	readonly generation: number;
	readonly tokens_used: number;
}

/**
 * Returns the session agents. A program that an agent starts has the agent's environment for a moment, and its parent is the
 * agent.
 */
function agentsOf({ platform }: Cluster): SessionProcess[] {
	const agents = platform.sessionProcesses().filter(({ isAgent }) => isAgent);
	return agents.filter(({ parent }) => !agents.some(({ pid }) => pid === parent));
}

/** Looks for sessions with two pods, as long as it runs. */
class PodWatch implements Disposable {
	readonly doubled = new Set<string>();
	readonly #timer: NodeJS.Timeout;

	constructor(cluster: Cluster) {
		this.#timer = setInterval(() => {
			for (const own of Map.groupBy(agentsOf(cluster), ({ session }) => session).values())
				if (own.length > 1) this.doubled.add(JSON.stringify(own));
		}, 100);
	}

	[Symbol.dispose](): void {
		clearInterval(this.#timer);
	}
}

/** Returns how many calls of an action a process of this version has served. */
async function servedBy(member: ClusterMember, action: string): Promise<number> {
	const text = await (await fetch(`${member.opsUrl}/metrics`)).text();
	const line = text.split("\n").find((one) => one.startsWith(`atelier_bus_call_seconds_count{action="${action}"}`));
	return Number(line?.split(" ").at(-1) ?? 0);
}

/** Returns the ids of the events from one session's creation to another one's. */
async function eventsBetween({ events }: SseClient, first: string, last: string): Promise<string[]> {
	const creationOf = (id: string) =>
		events.findIndex(({ event, data }) => event === "session_created" && data.includes(id));
	await eventually(() => creationOf(last) >= 0, { ...slow, what: "the newest event comes" });
	const between = events.slice(creationOf(first), creationOf(last) + 1);
	return between.map(({ id }) => id).filter((id, at, all) => id !== "" && id !== all[at - 1]);
}

/** Each session is written to through one release and read through the other; both take its usage. */
async function useSessions(ids: readonly string[], [formerly, newly]: readonly [Api, Api]): Promise<void> {
	for (const [n, id] of ids.entries()) {
		const [asked, read] = n % 2 === 0 ? [newly, formerly] : [formerly, newly];
		expect(await ask(asked, id, `$ echo number ${n}`)).to.include(`number ${n}`);
		expect((await read.get(`/sessions/${id}/conversation`)).text).to.include(`number ${n}`);
		for (const api of [formerly, newly, formerly, newly]) await reportUsage(api, id);
	}
	for (const id of ids)
		for (const api of [formerly, newly])
			await eventually(async () => (await view(api, id)).tokens_used === 400, { ...slow, what: "usage is booked" });
}

/** The session answers, and has one pod, of its newest launch. */
async function goesOnAlone(cluster: Cluster, api: Api, id: string): Promise<void> {
	expect(await ask(api, id, "$ echo still here")).to.include("still here");
	const { generation } = await view(api, id);
	const pods = agentsOf(cluster).filter(({ session }) => session === id);
	expect(pods.map((pod) => pod.generation)).to.deep.equal([generation]);
}

describe("processes of two releases", function () {
	this.timeout(900_000);

	it("read what the other has written, and never start a second pod", async function () {
		if (!hasCommit(formerCommit)) return this.skip();
		using former = new FormerTree(formerCommit);
		await using cluster = await startCluster({ podManagers: 2, root: former.root });
		for (const name of replaced) {
			await cluster.member(name).stop();
			await cluster.member(name).start({}, projectRoot);
		}
		using watch = new PodWatch(cluster);
		const [formerly, newly] = gateways.map((name) => cluster.client(name)) as [Api, Api];
		await using there = await cluster.events("gateway-1");
		await using here = await cluster.events("gateway-2");

		const created = await Promise.all([1, 2, 3].flatMap(() => [runningSession(formerly), runningSession(newly)]));
		const ids = created.map(({ id }) => id);
		for (const api of [formerly, newly]) ids.push(await startedLate(api));
		const own = await servedBy(cluster.member("core-2"), "sessions.create");
		expect(own, "sessions that this version has created").to.be.within(1, ids.length - 1);

		await useSessions(ids, [formerly, newly]);
		await Promise.all(ids.map((id, n) => restarted(n % 2 === 0 ? newly : formerly, id)));
		for (const [n, id] of ids.entries()) await goesOnAlone(cluster, n % 2 === 0 ? formerly : newly, id);
		const last = await createSession(formerly);
		const [first = ""] = ids;
		const seen = await eventsBetween(here, first, last.id);
		expect(seen).to.have.length.greaterThan(ids.length * 4);
		expect(new Set(seen).size, "none doubled").to.equal(seen.length);
		expect(await eventsBetween(there, first, last.id), "none lost").to.deep.equal(seen);
		expect([...watch.doubled]).to.deep.equal([]);
	});
});

type Api = ReturnType<Cluster["client"]>;

async function view(api: Api, id: string): Promise<View> {
	return (await api.get<View>(`/sessions/${id}`)).body;
}

async function reportUsage(api: Api, id: string): Promise<void> {
	const report = { tokens: 100, provider: "cloud", model: "unknown", cost: 0.25 };
	const { status, text } = await api.post(`/sessions/${id}/usage`, report);
	expect(status, text).to.be.below(300);
}

/** Makes a session that is stopped before or during its first launch, and starts it. */
async function startedLate(api: Api): Promise<string> {
	const { id } = await createSession(api);
	return restarted(api, id);
}

async function restarted(api: Api, id: string): Promise<string> {
	expect((await api.post(`/sessions/${id}/stop`)).status).to.equal(200);
	await sessionReaches(api, id, "stopped", slow.withinMs);
	expect((await api.post(`/sessions/${id}/start`)).status).to.equal(200);
	await sessionReaches(api, id, "running", slow.withinMs);
	return id;
}
