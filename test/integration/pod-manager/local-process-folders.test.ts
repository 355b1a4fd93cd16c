/** The folders of local pods: who may read them, how large they become, and what the removal leaves. */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { LocalProcessRuntime } from "#services/pod-manager/pod-runtimes/local-process.ts";
import { inheritedEnvironment } from "#shared/config/config.ts";
import { marker } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../support/eventually.ts";
import { type LocalPods, openLocalPods } from "../../support/pods/local-pods.ts";
import { ObservedSession } from "../../support/pods/observed-session.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

describe("folders of LocalProcessRuntime", function () {
	this.timeout(30_000);
	let pods: LocalPods;
	let runtime: LocalProcessRuntime;
	let session: ObservedSession;
	let id: string;

	beforeEach(() => {
		pods = openLocalPods();
		runtime = pods.runtime();
		session = new ObservedSession(pods, runtime);
		({ id } = session);
	});
	afterEach(() => pods.close());

	it("ignores an invalid status", async () => {
		mkdirSync(session.runFolder(), { recursive: true });
		for (const content of ["", "{", "[]", '{"phase":"ready"}', '{"phase":"ready","pid":"1","timings":{}}']) {
			writeFileSync(join(session.runFolder(), "status.json"), content);
			expect(await runtime.find(id)).to.deep.equal([]);
		}
	});

	it("shows an agent nothing of the platform's environment and nothing secret to others", async () => {
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
		const environment = readFileSync(`/proc/${session.agentPid()}/environ`, "utf8").split("\0").filter(Boolean);
		const names = environment
			.map((entry) => entry.split("=")[0] ?? "")
			.filter((name) => !(name in inheritedEnvironment()));
		expect(names).to.have.members(["HOME", "ATELIER_ROLE", ...Object.values(marker)]);
		expect(environment).to.include(`HOME=${join(session.runFolder(), "home")}`);
		const visible = `${environment.join()}${readFileSync(`/proc/${session.agentPid()}/cmdline`, "utf8")}`;
		expect(visible).not.to.contain(podSpecFor(id, 1).pod_token).and.not.to.contain(podSpecFor(id, 1).platform_key);
	});

	it("takes the files of a session that ran in a container, as root", async function () {
		if (process.getuid?.() !== 0) return this.skip();
		const workspace = join(pods.dataDir, "sessions", id, "workspace");
		mkdirSync(workspace, { recursive: true });
		writeFileSync(join(workspace, "file"), "");
		for (const path of [workspace, join(workspace, "file")]) chownSync(path, 231_001, 231_001);
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
		expect([statSync(workspace).uid, statSync(join(workspace, "file")).uid]).to.deep.equal([0, 0]);
	});

	it("measures with a workspace all other files of the session that uses it (S1)", async () => {
		const { signal } = new AbortController();
		const workspace = randomUUID();
		await runtime.create({ ...podSpecFor(id, 1), workspace_id: workspace });
		await session.inState("ready");
		const measured = async () => (await runtime.measureWorkspace(workspace, { signal, session: id })).bytes;
		for (const folder of ["home", "tmp", "."].map((name) => join(session.runFolder(), name))) {
			const before = await measured();
			writeFileSync(join(folder, "large"), randomBytes(4_000_000));
			expect((await measured()) - before, folder).to.be.at.least(3_000_000);
		}
		const before = await measured();
		writeFileSync(join(pods.dataDir, "sessions", id, "large"), randomBytes(4_000_000));
		expect((await measured()) - before, "records").to.be.at.least(3_000_000);
		expect((await runtime.measureWorkspace(workspace, { signal })).bytes).to.be.below(3_000_000);
	});

	it("measures files that were removed while a process of the session has them open", async () => {
		const { signal } = new AbortController();
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
		const measured = async () => (await runtime.measureWorkspace(id, { signal })).bytes;
		const before = await measured();
		const environment = readFileSync(`/proc/${session.agentPid()}/environ`, "utf8").split("\0").filter(Boolean);
		const marked = Object.fromEntries(environment.map((entry) => /^([^=]*)=(.*)$/s.exec(entry)?.slice(1) ?? []));
		const script = `
			const file = fs.openSync("big", "w");
			fs.writeSync(file, Buffer.alloc(4e6, "x"));
			fs.rmSync("big");
			console.log("open");
			process.stdin.resume();`;
		const env = { ...marked, ATELIER_ROLE: "" };
		const holder = spawn(process.execPath, ["-e", script], { cwd: session.runFolder(), env });
		await once(holder.stdout, "data");
		await eventually(async () => (await measured()) - before > 3_500_000);
		const ended = once(holder, "close");
		holder.stdin.end();
		await ended;
		await eventually(async () => (await measured()) - before < 3_500_000);
	});

	it("keeps its folders from other users", async () => {
		await runtime.create(podSpecFor(id, 1));
		const sessionFolder = join(pods.dataDir, "sessions", id);
		for (const folder of [
			session.runFolder(),
			join(session.runFolder(), "home"),
			sessionFolder,
			join(sessionFolder, "workspace"),
			join(sessionFolder, "state"),
		]) {
			expect(statSync(folder).mode & 0o777, folder).to.equal(0o700);
		}
	});

	it("bounds what an agent prints", async () => {
		const watching = new AbortController();
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
		const log = join(session.runFolder(), "agent.log");
		appendFileSync(log, Buffer.alloc(5 * 1_048_576));
		runtime.watch(() => {}, watching.signal);
		await eventually(() => statSync(log).size < 1_048_576);
		watching.abort();
	});

	it("completes the removal of a killed platform when it is opened, and not when somebody watches", async () => {
		const watching = new AbortController();
		const left = join(pods.dataDir, "sessions", ".trash", `${id}-0badcafe`);
		mkdirSync(left, { recursive: true });
		const changed: string[] = [];
		runtime.watch((sessionId) => changed.push(sessionId), watching.signal);
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
		await eventually(() => changed.length > 0);
		watching.abort();
		expect(existsSync(left)).to.equal(true);
		await runtime.open();
		await eventually(() => !existsSync(left));
		await runtime.close();
	});

	it("never leaves its folders, for any session id", async () => {
		const refusal = await runtime.create(podSpecFor("../../escape", 1)).catch((error: unknown) => error);
		expect(refusal).to.be.an.instanceOf(RangeError);
		expect(await runtime.purge("..").catch((error: unknown) => error)).to.be.an.instanceOf(RangeError);
	});
});
