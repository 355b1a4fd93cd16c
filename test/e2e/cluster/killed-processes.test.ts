/**
 * Processes are killed with SIGKILL at every moment of their life in the collection `processes` (real NATS and MongoDB):
 * what they leave there keeps no other process from starting, and is gone in time.
 * Night: an entry counts for 25 s.
 */
import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processCollection } from "#host/presence/process-collection.ts";
import { ProcessRegistry } from "#host/presence/process-registry.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { eventually } from "../../support/eventually.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

/** An entry counts for 25 s, and a process starts within the rest. */
const forgottenMs = 60_000;

describe("killed processes", function () {
	this.timeout(400_000);
	let cluster: Cluster;
	let store: MongodbStore;
	let folder: string;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-killed-"));
		cluster = await startCluster({ gateways: 1 });
		store = new MongodbStore({ url: cluster.store.url });
		await store.open([processCollection]);
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(cluster?.lastLines());
	});
	after(async () => {
		await store?.close();
		await cluster?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	const hosts = async () => (await new ProcessRegistry(store).hosts()).size;

	/** Returns how many entries there are, also of processes that were killed. */
	const entries = () => store.count(processCollection, "by_seen", { equals: [] });

	/** The variables of processes that are unlike those without them. */
	function otherTemplates(name: string): Record<string, string> {
		const templates = join(folder, name);
		mkdirSync(templates);
		writeFileSync(join(templates, "note.txt"), name);
		return { TEMPLATES__KWARGS__FOLDER: templates };
	}

	it("are gone in time with their host, and their successor at the same place starts at once", async () => {
		await eventually(async () => (await hosts()) === 1, { what: "the host is there" });
		const podManager = cluster.member("pod-manager-1");
		await podManager.kill();
		expect(await hosts(), "it may only be restarting").to.equal(1);
		await podManager.start();
		await podManager.kill();
		await eventually(async () => (await hosts()) === 0, {
			withinMs: forgottenMs,
			everyMs: 500,
			what: "the host is gone",
		});
		await podManager.start();
		await eventually(async () => (await hosts()) === 1, { withinMs: 20_000, what: "the host is back" });
	});

	for (const point of ["start.composed-event-log", "start.composed-sessions", "start.composed-integrations"])
		it(`keep no like process from starting when they die at ${point}`, async () => {
			const core = cluster.member("core-2");
			await core.kill();
			core.launch({ ATELIER_FAILPOINTS: `${point}=kill` });
			await eventually(() => core.process.hasEnded, { withinMs: 60_000, what: `core-2 has died at ${point}` });
			await core.start();
		});

	it("keep no like process from starting when they were unlike and die before they are refused", async () => {
		const before = await entries();
		const unlike = cluster.platform.startProcess(storingServices, { PORT: "0", ...otherTemplates("refused") });
		await eventually(async () => (await entries()) > before, { withinMs: 60_000, what: "it has registered" });
		await unlike.kill();
		expect(unlike.exitCode, unlike.output).to.equal(null);
		const core = cluster.member("core-2");
		await core.kill();
		await core.start();
	});

	it("are waited for by processes with other templates, which start together", async () => {
		await cluster.kill();
		await cluster.start(otherTemplates("new"));
	});

	it("are two unlike ones that start together afterwards: the first of them stays, and the other one is refused", async () => {
		await cluster.kill();
		const [one, other] = ["one", "other"].map((name) =>
			cluster.platform.startProcess(storingServices, { PORT: "0", ...otherTemplates(name) }),
		);
		if (!one || !other) return expect.fail();
		const what = "one of the two is refused";
		await eventually(() => one.hasEnded || other.hasEnded, { withinMs: 2 * forgottenMs, what });
		const [refused, stays] = one.hasEnded ? [one, other] : [other, one];
		expect(refused.exitCode, refused.output).to.equal(1);
		expect(refused.output).to.include("other templates");
		expect(stays.hasEnded, stays.output).to.equal(false);
		await stays.stop();
	});
});
