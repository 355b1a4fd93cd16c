/**
 * Two hosts with local pods, whose pod managers are killed in turn while sessions start and stop: each session stays on
 * its host and has one pod, and says so while its host is away.
 * Night: it starts a hundred pods and waits for a host that is away.
 */
import { expect } from "chai";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { TwinWatch } from "../../faults/watches/twin-watch.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { hostFolder } from "../../support/cluster/own-host.ts";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { eventually } from "../../support/eventually.ts";
import { machineState } from "../../support/machine/machine-state.ts";
import { createSession, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";

const sessionsPerHost = 5;
const startsPerSession = 10;
/** The longest pause between the kill of a pod manager and its start, in milliseconds. */
const longestPauseMs = 2_000;
/** A pod manager that was killed holds sessions for 15 s, and a start has 60 s. */
const withinMs = 90_000;

describe("sessions of two hosts", function () {
	this.timeout(1_200_000);
	const hosts = [1, 2];
	let cluster: Cluster;
	let api: ApiClient;
	let twins: TwinWatch;
	/** The sessions of each host. */
	const sessions = new Map<number, string[]>(hosts.map((n) => [n, []]));

	before(async () => {
		cluster = await startCluster({ gateways: 1, podManagers: hosts.length, ownHosts: true });
		api = cluster.client();
		twins = new TwinWatch(() => cluster.platform.sessionProcesses());
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(cluster?.lastLines());
	});
	after(async () => {
		twins?.stop();
		await cluster?.[Symbol.asyncDispose]();
	});

	const all = () => [...sessions.values()].flat();
	const podManagerOf = (n: number) => cluster.member(`pod-manager-${n}`);
	const hasFiles = (n: number, id: string) => existsSync(join(hostFolder(cluster.platform, n), "sessions", id));
	const view = async (id: string) => (await api.get<SessionView>(`/sessions/${id}`)).body;
	const reasons = async (ids: readonly string[]) =>
		Promise.all(ids.map(async (id) => `${(await view(id)).status} ${(await view(id)).status_reason?.code}`));

	async function command(name: "start" | "stop", id: string): Promise<void> {
		const { status, text } = await api.post(`/sessions/${id}/${name}`);
		expect(status, text).to.be.lessThan(300);
	}

	/** Stops and starts a session as often as it has to be started. */
	async function restarted(id: string): Promise<void> {
		for (let starts = 1; starts < startsPerSession; starts++) {
			await command("stop", id);
			await sessionReaches(api, id, "stopped", withinMs);
			await command("start", id);
			await sessionReaches(api, id, "running", withinMs);
		}
	}

	/** Kills one pod manager after the other until the signal aborts; resolves to the count. */
	async function killing(signal: AbortSignal): Promise<number> {
		let kills = 0;
		for (; !signal.aborted; kills++) {
			const podManager = podManagerOf((kills % hosts.length) + 1);
			await podManager.kill();
			await sleep(Math.random() * longestPauseMs);
			await podManager.start();
		}
		return kills;
	}

	function expectBound(): void {
		for (const [n, ids] of sessions)
			for (const id of ids)
				expect(
					hosts.filter((host) => hasFiles(host, id)),
					`the hosts with files of ${id}`,
				).to.deep.equal([n]);
		expect(twins.wrong).to.deep.equal([]);
	}

	it("go to the host whose pod manager is there", async () => {
		for (const n of hosts) {
			const other = podManagerOf(hosts.length + 1 - n);
			await other.kill();
			const made = await Promise.all(Array.from({ length: sessionsPerHost }, () => createSession(api)));
			sessions.set(
				n,
				made.map(({ id }) => id),
			);
			for (const { id } of made) await sessionReaches(api, id, "running", withinMs);
			await other.start();
		}
		expectBound();
	});

	it("stay there through a hundred starts while pod managers are killed, and all run at the end", async () => {
		const ended = new AbortController();
		const kills = killing(ended.signal);
		try {
			await Promise.all(all().map(restarted));
		} finally {
			ended.abort();
		}
		console.log(`      ${all().length * startsPerSession} starts, ${await kills} kills`);
		expect(await kills).to.be.greaterThan(3);
		expectBound();
		const agents = cluster.platform.agents();
		expect(agents.map(({ session }) => session).toSorted()).to.deep.equal(all().toSorted());
		expect(new Set(agents.map(({ generation }) => generation))).to.deep.equal(new Set([startsPerSession]));
	});

	it("say that their host is away, and no longer when it is back", async () => {
		const [away = [], present = []] = hosts.map((n) => sessions.get(n) ?? []);
		await podManagerOf(1).kill();
		const areTold = async () => (await reasons(away)).every((reason) => reason === "running HOST_AWAY");
		await eventually(areTold, { withinMs: 90_000, everyMs: 500, what: "sessions of the host that is away say so" });
		expect(new Set(await reasons(present))).to.deep.equal(new Set(["running POD_READY"]));
		await podManagerOf(1).start();
		const areBack = async () => (await reasons(away)).every((reason) => reason === "running POD_READY");
		await eventually(areBack, { withinMs: 60_000, everyMs: 500, what: "sessions of the host that is back say so" });
	});

	it("leave nothing behind on any host when they are deleted", async () => {
		for (const id of all()) expect((await api.delete(`/sessions/${id}`, { body: removed })).status).to.equal(204);
		const installation = openInstallationKey(cluster.platform.dataDir, "").installationId();
		const left = () => hosts.map((n) => machineState(installation, hostFolder(cluster.platform, n)));
		const isClean = () =>
			left().every(
				({ processes, ports, files }) =>
					processes.length + ports.length === 0 && !files.some((path) => isOfSession(path)),
			);
		await eventually(isClean, { withinMs: 90_000, everyMs: 500, what: "nothing of the sessions is left" }).catch(() => {
			expect(left()).to.deep.equal([]);
		});
		expect(twins.wrong).to.deep.equal([]);
	});

	const removed = { cleanup: ["workspace_storage", "chronicles"] };
	const isOfSession = (path: string) => all().some((id) => path.includes(id));
});
