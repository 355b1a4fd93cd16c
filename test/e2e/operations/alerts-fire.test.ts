/**
 * A real fault of a cluster makes each alert fire in a real Prometheus, and all of them end with the faults. A minute of
 * the rules is a second here, and a minute that a rate looks back is four seconds.
 *
 * | Alert | Fault | Threshold |
 * | --- | --- | --- |
 * | AtelierProcessDown | a process is killed | the rule's |
 * | AtelierNotReady | a gateway is cut off from the bus | the rule's |
 * | AtelierStoreFailing | the store is silent for one process | the rule's |
 * | AtelierDiskLow | a file takes 1 GB of the disk | half a GB below the room at the start: the disk is the machine's |
 * | AtelierRequestsFailing | the process of the sessions is frozen | the rule's |
 * | AtelierRequestsSlow | the store is slow, and many clients read | the rule's |
 * | AtelierOutboxStuck | the process that moves events is killed | the rule's |
 * | AtelierEventsLate | it comes back after half a minute | the rule's |
 * | AtelierPassesFailing | the credentials of starting sessions cannot be had | the rule's |
 * | AtelierReconcilerSilent | the process of the sessions is frozen | the rule's |
 * | AtelierLaunchesSlow | the pod manager is frozen while sessions wait | 5 s instead of 120 s: a fault of that size takes two minutes |
 * | AtelierLaunchesFailing | the folders of sessions cannot be made | the rule's |
 * | AtelierLaunchesWaiting | the pod manager is frozen while sessions wait | 5 s instead of 120 s, for the same reason |
 * | AtelierClonesFailing | the git server of many sessions is away | the rule's |
 * | AtelierAgentsCrashing | agents are killed | the rule's |
 * | AtelierBudgetPauses | sessions reach their budgets | the rule's |
 * | AtelierCallsWaiting | the store is slow, and many clients read | the rule's |
 * | AtelierEventLoopLag | a process is frozen and goes on | the rule's |
 * | AtelierMemoryLarge | a process keeps 2.2 GB | the rule's |
 *
 * Night: it starts a cluster and waits for alerts, which takes some minutes.
 */
import { expect } from "chai";
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freeBytes } from "#shared/base/files/free-bytes.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { say, turns } from "../../support/model-server/script.ts";
import { AlertWatch, type Lowered } from "../../support/operations/alert-watch.ts";
import { createSession, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

/** The bytes of the file that takes room, and those that may be taken by others meanwhile. */
const ballast = { bytes: 1e9, spare: 5e8 } as const;

const lowered: Lowered = { AtelierLaunchesSlow: ["> 120", "> 5"], AtelierLaunchesWaiting: ["> 120", "> 5"] };

/** The delay of each piece between a process and its store, in milliseconds, and the clients that read meanwhile. */
const slow = { delayMs: 200, clients: 400 } as const;

/** Keeps more memory than any process of the platform needs. */
const leak = `globalThis.kept = Array.from({ length: 22 }, () => Buffer.alloc(1e8).fill(1))`;

describe("alerts", function () {
	this.timeout(600_000);
	let folder: string;
	let cluster: Cluster;
	let alerts: AlertWatch;
	let api: ApiClient;
	let model: ModelServer;
	const resources = new AsyncDisposableStack();
	const asking = new AbortController();
	let asked: Promise<void>;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-alerts-"));
		model = resources.use(await ModelServer.listen({ script: turns({ HELLO: [say("Hello.")] }) }));
		const file = join(folder, "models.yaml");
		writeFileSync(file, JSON.stringify(catalogueOf(model)));
		cluster = resources.use(
			await startCluster({
				cores: 1,
				proxies: true,
				services: {
					core: storingServices.filter((name) => name !== "event-log"),
					"pod-manager": ["pod-manager", "models"],
				},
				others: { "event-log-1": ["event-log"], "credentials-1": ["credentials"] },
				config: { models: { file } },
				env: { SCRIPTED_KEY: model.key },
			}),
		);
		api = cluster.client();
		const room = (await freeBytes(cluster.platform.dataDir)) - ballast.spare;
		alerts = resources.use(await AlertWatch.start(cluster, { ...lowered, AtelierDiskLow: ["< 1e9", `< ${room}`] }));
		asked = ask();
	});

	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(cluster?.lastLines());
	});

	after(async () => {
		asking.abort();
		await asked;
		await resources.disposeAsync();
		rmSync(folder, { recursive: true, force: true });
	});

	/** Somebody always uses the platform. */
	async function ask(): Promise<void> {
		while (!asking.signal.aborted) await Promise.allSettled([api.get("/sessions"), sleep(100)]);
	}

	/** Resolves when every process says that it is ready, so that each has found the others again. */
	async function mended(): Promise<void> {
		for (const member of cluster.members) await member.ready();
	}

	it("are silent while every process is scraped and nothing is wrong", async () => {
		await alerts.scraped(cluster.members.length);
		await alerts.silent();
	});

	it("EventLoopLag, LaunchesWaiting, LaunchesSlow: the pod manager is frozen while sessions wait", async () => {
		const manager = cluster.member("pod-manager-1");
		await alerts.silent(["AtelierEventLoopLag", "AtelierLaunchesWaiting", "AtelierLaunchesSlow"]);
		await manager.freeze();
		const waiting = await Promise.all([createSession(api), createSession(api)]);
		await alerts.fires("AtelierLaunchesWaiting");
		manager.thaw();
		await alerts.fires("AtelierEventLoopLag", manager.opsUrl);
		for (const { id } of waiting) await sessionReaches(api, id, "running");
		await alerts.fires("AtelierLaunchesSlow");
	});

	it("AgentsCrashing: agents are killed", async () => {
		await alerts.silent(["AtelierAgentsCrashing"]);
		for (let i = 0; i < 6; i++) {
			const { id } = await runningSession(api);
			for (const { pid } of cluster.platform.agents().filter(({ session }) => session === id))
				process.kill(pid, "SIGKILL");
		}
		await alerts.fires("AtelierAgentsCrashing");
	});

	it("ClonesFailing: the git server of many sessions is away", async () => {
		await alerts.silent(["AtelierClonesFailing"]);
		const repo = `http://127.0.0.1:${await freePort()}/team/things.git`;
		const request = { name: "cloned", source: { type: "git", repo, branch: "main" } };
		for (let i = 0; i < 16; i++) await api.post("/sessions", request);
		await alerts.fires("AtelierClonesFailing");
	});

	it("LaunchesFailing: sessions can have no folders for a minute", async () => {
		const sessions = join(cluster.platform.dataDir, "sessions");
		const away = `${sessions}.away`;
		await alerts.silent(["AtelierLaunchesFailing"]);
		renameSync(sessions, away);
		writeFileSync(sessions, "");
		for (let i = 0; i < 5; i++) await createSession(api);
		await alerts.fires("AtelierLaunchesFailing");
		rmSync(sessions);
		renameSync(away, sessions);
	});

	it("BudgetPauses: sessions reach their budgets", async () => {
		await alerts.silent(["AtelierBudgetPauses"]);
		for (let i = 0; i < 5; i++) {
			const request = { name: "poor", model: model.model, budget: { limit: 0.1 } };
			const { id } = (await api.post<{ id: string }>("/sessions", request)).body;
			await sessionReaches(api, id, "running");
			await api.post(`/sessions/${id}/messages`, { content: "HELLO, please" });
		}
		await alerts.fires("AtelierBudgetPauses");
	});

	it("ProcessDown, PassesFailing: the credentials service is killed while sessions that need it start", async () => {
		const credentials = cluster.member("credentials-1");
		await alerts.silent(["AtelierProcessDown", "AtelierPassesFailing"]);
		await credentials.kill();
		for (let i = 0; i < 5; i++) await api.post("/sessions", { name: "needy", credential_names: ["key"] });
		await Promise.all([alerts.fires("AtelierProcessDown", credentials.opsUrl), alerts.fires("AtelierPassesFailing")]);
		await credentials.start();
		await mended();
	});

	it("DiskLow: a file takes the room of the disk", async () => {
		const file = join(cluster.platform.dataDir, "ballast");
		await alerts.silent(["AtelierDiskLow"]);
		for (let written = 0; written < ballast.bytes; written += 1e8) appendFileSync(file, Buffer.alloc(1e8));
		await alerts.fires("AtelierDiskLow");
		rmSync(file);
	});

	it("MemoryLarge: a process keeps what it does not need", async () => {
		const credentials = cluster.member("credentials-1");
		await alerts.silent(["AtelierMemoryLarge"]);
		await credentials.stop();
		await credentials.start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(leak)}` });
		await alerts.fires("AtelierMemoryLarge", credentials.opsUrl);
		await credentials.stop();
		await credentials.start();
		await mended();
	});

	it("NotReady: a gateway is cut off from the bus", async () => {
		const gateway = cluster.member("gateway-2");
		await alerts.silent(["AtelierNotReady"]);
		gateway.network.bus.refuse();
		await alerts.fires("AtelierNotReady", gateway.opsUrl);
		gateway.network.bus.pass();
		await mended();
	});

	it("StoreFailing: the store says nothing to one process", async () => {
		const core = cluster.member("core-1");
		await alerts.silent(["AtelierStoreFailing"]);
		for (const store of core.network.store) store.swallow();
		await alerts.fires("AtelierStoreFailing", core.opsUrl);
		for (const store of core.network.store) store.pass();
		await mended();
	});

	it("RequestsSlow, CallsWaiting: the store is slow while many clients read", async () => {
		const core = cluster.member("core-1");
		await alerts.silent(["AtelierRequestsSlow", "AtelierCallsWaiting"]);
		const isOver = new AbortController();
		const reading = Array.from({ length: slow.clients }, async () => {
			while (!isOver.signal.aborted) await Promise.allSettled([api.get("/sessions"), sleep(100)]);
		});
		for (const store of core.network.store) store.delay(slow.delayMs);
		await Promise.all([alerts.fires("AtelierRequestsSlow"), alerts.fires("AtelierCallsWaiting", core.opsUrl)]);
		for (const store of core.network.store) store.pass();
		isOver.abort();
		await Promise.all(reading);
		await mended();
	});

	it("RequestsFailing, ReconcilerSilent: the process of the sessions is frozen", async () => {
		const core = cluster.member("core-1");
		await alerts.silent(["AtelierRequestsFailing", "AtelierReconcilerSilent"]);
		await core.freeze();
		await Promise.all([alerts.fires("AtelierRequestsFailing"), alerts.fires("AtelierReconcilerSilent")]);
		core.thaw();
		await mended();
	});

	it("OutboxStuck, and then EventsLate: nobody moves events for half a minute", async () => {
		const mover = cluster.member("event-log-1");
		await alerts.silent(["AtelierOutboxStuck", "AtelierEventsLate"]);
		await mover.kill();
		await createSession(api);
		await alerts.fires("AtelierOutboxStuck");
		await mover.start();
		await alerts.fires("AtelierEventsLate");
	});

	it("all end when the faults are over", async () => {
		await mended();
		await alerts.silent();
	});

	it("have fired, each of the rules", () => {
		expect([...alerts.fired]).to.have.members([...alerts.names]);
	});
});

/** A model whose first call costs more than the budgets of this test. */
function catalogueOf({ model: id, endpoints }: ModelServer) {
	const prices = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
	return {
		price_version: "test",
		providers: [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints }],
		models: [{ id, name: "Scripted", provider: "scripted", context_window: 200_000, prices }],
	};
}
