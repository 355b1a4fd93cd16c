/**
 * The properties of pods that are processes of this machine; test/contract has those of all runtimes.
 * Long: it starts and kills the session agents of some thirty pods.
 */
import { expect } from "chai";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import type { PodSpec } from "#services/pod-manager/pod-runtime.ts";
import { LocalProcessRuntime } from "#services/pod-manager/pod-runtimes/local-process.ts";
import { PodMarks } from "#services/pod-manager/pod-runtimes/local-process/pod-marks.ts";
import { marker } from "#shared/wire/pod/launch.ts";
import { niceness } from "#shared/wire/pod/niceness.ts";
import { projectRoot as ownRoot } from "#shared/base/project-root.ts";
import { eventually } from "../../support/eventually.ts";
import { type LocalPods, openLocalPods } from "../../support/pods/local-pods.ts";
import { ObservedSession, readyMs } from "../../support/pods/observed-session.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";
import { processFile } from "../../support/machine/process-file.ts";

const graceMs = 10_000;

describe("LocalProcessRuntime", function () {
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

	/** Another process of the platform creates the pod; `failpoint` is where it is killed. */
	async function createElsewhere(spec: PodSpec, failpoint = ""): Promise<ChildProcess> {
		const creator = spawn(process.execPath, [join(import.meta.dirname, "../../support/pods/create-pod.ts")], {
			env: { ...process.env, ATELIER_FAILPOINTS: failpoint && `${failpoint}=kill` },
			stdio: ["pipe", "pipe", "inherit"],
		});
		creator.stdin.end(JSON.stringify({ options: pods.options, spec }));
		await Promise.race([once(creator.stdout, "data"), once(creator, "exit")]);
		return creator;
	}

	it("finds and ends a pod whose platform was killed", async () => {
		const creator = await createElsewhere(podSpecFor(id, 1));
		await session.inState("ready");
		creator.kill("SIGKILL");
		await once(creator, "exit");
		const adopted = await session.inState("ready");
		await runtime.end(adopted, graceMs);
		await session.inState("gone");
		expect(pods.processes()).to.deep.equal([]);
	});

	it("gives the platform the highest priority, and coding agents the lowest", async () => {
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
		const processes = pods.processes().map((pid) => [pid === session.agentPid(), getPriority(pid)] as const);
		expect(processes.filter(([isAgent]) => isAgent)).to.deep.equal([[true, niceness.sessionAgent]]);
		expect(Math.max(...processes.map(([, nice]) => nice))).to.equal(niceness.codingAgent);
	});

	it("starts a pod again that was killed between its folder and its process", async () => {
		await createElsewhere(podSpecFor(id, 1), "local-process.before-spawn");
		expect(existsSync(session.runFolder())).to.equal(true);
		expect(await runtime.find(id)).to.deep.equal([]);
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
	});

	it("shows a pod that was killed between its folder and its process, until it is started or forgotten", async () => {
		await createElsewhere(podSpecFor(id, 1), "local-process.before-spawn");
		const [unfinished, ...others] = (await runtime.inventory()).unfinished;
		expect(others).to.deep.equal([]);
		expect(unfinished).to.include({ name: `session-${id}-g1`, sessionId: id, generation: 1, state: "gone" });
		await runtime.create(podSpecFor(id, 1));
		expect((await runtime.inventory()).unfinished).to.deep.equal([]);
		await session.inState("ready");
		expect((await runtime.inventory()).unfinished).to.deep.equal([]);

		const second = randomUUID();
		await createElsewhere(podSpecFor(second, 1), "local-process.before-spawn");
		for (const pod of (await runtime.inventory()).unfinished) await runtime.forget(pod);
		expect(readdirSync(join(pods.dataDir, "run")).filter((name) => name.startsWith(second))).to.deep.equal([]);
	});

	it("starts a pod again that was killed before the agent had its launch document", async () => {
		await createElsewhere(podSpecFor(id, 1), "local-process.spawned");
		const said = () =>
			readFileSync(join(session.runFolder(), "agent.log"), "utf8").includes("Cannot read the launch document");
		await eventually(() => said() && pods.processes().length === 0, { withinMs: readyMs });
		// A process that is ending has no environment any more, and lives until its last thread is gone.
		await eventually(async () => (await runtime.find(id)).length === 0);
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
	});

	it("notices that an agent was killed, and ends its remaining processes", async () => {
		await runtime.create(podSpecFor(id, 1, { setup_scripts: ["setsid sleep 600 >/dev/null 2>&1 &"] }));
		await session.inState("ready");
		process.kill(session.agentPid(), "SIGKILL");
		const failed = await session.inState("failed", 5_000);
		expect(failed).not.to.have.property("failure");
		await runtime.end(failed, graceMs);
		await session.inState("gone", 5_000);
		expect(pods.processes()).to.deep.equal([]);
	});

	it("ignores a command that marks itself as a newer launch of a session (M3)", async () => {
		runtime = new LocalProcessRuntime({ ...pods.options, groups: "none" });
		const spoof = { [marker.session]: id, [marker.generation]: "99" };
		const words = Object.entries(spoof).map(([name, value]) => `${name}=${value}`);
		const other = randomUUID();
		await runtime.create(
			podSpecFor(other, 1, { setup_scripts: [`env ${words.join(" ")} setsid sleep 600 >/dev/null 2>&1 &`] }),
		);
		await runtime.create(podSpecFor(id, 1));
		const ready = await session.inState("ready");
		const spoofing = () => pods.processes().filter((pid) => processFile(pid, "environ").includes("GENERATION=99\0"));
		await eventually(() => spoofing().length > 0, { withinMs: readyMs, what: "the command marks itself" });
		expect(await runtime.find(id)).to.deep.equal([ready]);
		await runtime.end(ready, graceMs);
		const gone = await session.inState("gone");
		await runtime.forget(gone);
		await runtime.purge(id);
	});

	it("gives an agent time to end, and no more", async () => {
		await runtime.create(podSpecFor(id, 1, { setup_scripts: ["setsid sleep 600 >/dev/null 2>&1 &"] }));
		const ready = await session.inState("ready");
		process.kill(session.agentPid(), "SIGSTOP");
		await runtime.end(ready, graceMs);
		await runtime.end(ready, graceMs);
		await session.inState("leaving");
		expect(existsSync(`/proc/${session.agentPid()}`)).to.equal(true);
		await runtime.end(ready, 0);
		await session.inState("gone", 5_000);
		expect(pods.processes()).to.deep.equal([]);
	});

	const unusable = {
		"when the clock was set back": String(Date.now() + 3_600_000),
		"when the time cannot be read": "x",
	};
	for (const [why, time] of Object.entries(unusable)) {
		it(`does not wait for ever for an end ${why}`, async () => {
			await runtime.create(podSpecFor(id, 1));
			const ready = await session.inState("ready");
			process.kill(session.agentPid(), "SIGSTOP");
			writeFileSync(join(session.runFolder(), "ending"), time);
			await runtime.end(ready, graceMs);
			await session.inState("gone", 5_000);
		});
	}

	it("keeps the reason of an agent that failed", async () => {
		await runtime.create(podSpecFor(id, 1, { setup_scripts: ["exit 3"] }));
		const gone = await session.inState("gone");
		expect(gone.failure?.code).to.equal("SETUP_FAILED");
	});

	it("reports an agent that ended without a reason, keeps its output (L2), and does not start it again", async () => {
		const projectRoot = join(pods.dataDir, "broken");
		mkdirSync(join(projectRoot, "agent"), { recursive: true });
		writeFileSync(join(projectRoot, "agent/main.ts"), "console.log('its last words');\nprocess.exit(3);\n");
		const broken = new LocalProcessRuntime({ ...pods.options, projectRoot });
		await broken.create(podSpecFor(id, 1));
		const pod = await session.inState("gone");
		expect(pod.failure?.code).to.equal("AGENT_CRASHED");
		expect(pod.failure?.message).to.include("(3)").and.to.include('"agent.log" beside the session\'s workspace');
		await broken.create(podSpecFor(id, 1));
		expect(pods.processes()).to.deep.equal([]);
		await broken.forget(pod);
		expect(readFileSync(join(pods.dataDir, "sessions", id, "agent.log"), "utf8")).to.include("its last words");
		await broken.purge(id);
		await broken.removeWorkspace(id);
		expect(existsSync(join(pods.dataDir, "sessions", id))).to.equal(false);
	});

	it("names a lock that another process holds, and starts when it is free (L1)", async () => {
		const state = join(pods.dataDir, "sessions", id, "state");
		const hold = `import { holdSession } from ${JSON.stringify(join(ownRoot, "agent/session-lock.ts"))};
			console.log(holdSession(${JSON.stringify(state)}));
			setInterval(() => {}, 60_000);`;
		const holder = spawn(process.execPath, ["--input-type=module", "-e", hold], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		try {
			const [said] = (await once(holder.stdout, "data")) as [Buffer];
			expect(said.toString()).to.equal("true\n");
			await runtime.create(podSpecFor(id, 1));
			const { failure } = await session.inState("gone");
			expect(failure?.code).to.equal("SESSION_LOCKED");
			expect(failure?.message).to.contain(join(state, "lock"));
		} finally {
			holder.kill("SIGKILL");
			await once(holder, "exit");
		}
		await runtime.create(podSpecFor(id, 2));
		await session.inState("ready");
	});

	it("does not mistake another process with its id for the agent", async () => {
		await runtime.create(podSpecFor(id, 1));
		await session.inState("ready");
		const status = readFileSync(join(session.runFolder(), "status.json"), "utf8");
		process.kill(session.agentPid(), "SIGKILL");
		await session.inState("gone", 5_000);
		const foreign = spawn("sleep", ["600"], { stdio: "ignore" });
		const proof = new PodMarks(pods.installation, pods.options.markKey).proof({ sessionId: id, generation: 1 });
		const mark = { [marker.session]: id, [marker.generation]: "1", [marker.proof]: proof };
		const ours = { [marker.installation]: pods.installation, ...mark };
		const stray = spawn("sleep", ["600"], { stdio: "ignore", env: { ...process.env, ...ours } });
		try {
			writeFileSync(join(session.runFolder(), "status.json"), status.replace(/"pid":\d+/, `"pid":${foreign.pid}`));
			const failed = await session.inState("failed");
			writeFileSync(join(session.runFolder(), "status.json"), status.replace(/"pid":\d+/, `"pid":${stray.pid}`));
			await session.inState("failed");
			await runtime.end(failed, graceMs);
			await once(stray, "exit");
			expect([foreign.exitCode, foreign.signalCode]).to.deep.equal([null, null]);
		} finally {
			foreign.kill("SIGKILL");
			stray.kill("SIGKILL");
		}
	});
});
