/** Long: it starts and kills some twenty session agents. */
import { expect } from "chai";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { PodMarks } from "#services/pod-manager/pod-runtimes/local-process/pod-marks.ts";
import { LocalProcessRuntime } from "#services/pod-manager/pod-runtimes/local-process.ts";
import { ConfigError } from "#shared/config/config.ts";
import { agentTitle, waitingTitle } from "#shared/wire/pod/agent-title.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { type LocalPods, openLocalPods } from "../../../../../support/pods/local-pods.ts";
import { podSpecFor } from "../../../../../support/pods/memory-pods.ts";
import { waitingAgents } from "../../../../../support/platform/session-processes.ts";

const readyMs = 15_000;

describe("Session agents that wait", function () {
	this.timeout(45_000);
	let pods: LocalPods;
	let runtime: LocalProcessRuntime;
	let id: string;

	beforeEach(() => {
		pods = openLocalPods(1);
		runtime = pods.runtime();
		id = randomUUID();
	});
	afterEach(async () => {
		await runtime.close();
		await pods.close();
	});

	function oneWaits(): Promise<number> {
		return eventually(() => waitingAgents(pods.installation)[0], { withinMs: readyMs, what: "a session agent waits" });
	}

	function inState(state: Pod["state"]): Promise<Pod> {
		const probe = async () => (await runtime.find(id)).find((pod) => pod.state === state);
		return eventually(probe, { withinMs: readyMs, what: `a pod that is ${state}` });
	}

	function runFile(name: string): string {
		return readFileSync(join(pods.dataDir, "run", `${id}-g1`, name), "utf8");
	}

	function agentPid(): unknown {
		return (JSON.parse(runFile("status.json")) as { pid: unknown }).pid;
	}

	/** Another process of the platform opens its runtime, and creates the pod once an agent waits. */
	async function createElsewhere(failpoint = ""): Promise<ChildProcess> {
		const creator = spawn(process.execPath, [join(import.meta.dirname, "../../../../../support/pods/create-pod.ts")], {
			env: { ...process.env, ATELIER_FAILPOINTS: failpoint && `${failpoint}=kill` },
			stdio: ["pipe", "pipe", "inherit"],
		});
		creator.stdin.end(JSON.stringify({ options: pods.options, spec: podSpecFor(id, 1) }));
		await Promise.race([once(creator.stdout, "data"), once(creator, "exit")]);
		return creator;
	}

	it("become the agent of the session that is created, and others wait for the next", async () => {
		await runtime.open();
		const waiting = await oneWaits();
		await runtime.create(podSpecFor(id, 1));
		expect((await runtime.find(id)).map(({ state }) => state)).to.deep.equal(["launching"]);
		await inState("ready");
		expect(agentPid()).to.equal(waiting);
		const visible = readFileSync(`/proc/${waiting}/environ`, "utf8") + readFileSync(`/proc/${waiting}/cmdline`, "utf8");
		expect(visible).not.to.contain(podSpecFor(id, 1).pod_token).and.not.to.contain(podSpecFor(id, 1).platform_key);
		expect(await oneWaits()).not.to.equal(waiting);
		expect(readdirSync(join(pods.dataDir, "run", ".waiting"))).to.have.length(1);
	});

	it("write into the run folder once they have a session", async () => {
		const projectRoot = join(pods.dataDir, "talking");
		mkdirSync(join(projectRoot, "agent"), { recursive: true });
		const marks = new PodMarks(pods.installation, pods.options.markKey);
		const program = `
			import { once } from "node:events";
			import { closeSync, writeSync } from "node:fs";
			console.log("before");
			writeSync(3, "x");
			process.title = "${waitingTitle}";
			await once(process.stdin, "data");
			process.title = "${agentTitle({ session_id: id, generation: 1, proof: marks.proof({ sessionId: id, generation: 1 }) })}";
			writeSync(3, "x");
			closeSync(3);
			console.log("after");
			setInterval(() => {}, 60_000);`;
		writeFileSync(join(projectRoot, "agent/main.ts"), program);
		runtime = new LocalProcessRuntime({ ...pods.options, projectRoot });
		await runtime.open();
		await oneWaits();
		await runtime.create(podSpecFor(id, 1));
		await eventually(() => runFile("agent.log") === "before\nafter\n");
	});

	it("are found again when the platform that launched them was killed", async () => {
		const creator = await createElsewhere();
		await inState("ready");
		creator.kill("SIGKILL");
		await once(creator, "exit");
		await runtime.end(await inState("ready"), 10_000);
		await inState("gone");
		await eventually(() => pods.processes().length === 0, { withinMs: 5_000 });
	});

	it("end with the platform that started them, however it ends", async () => {
		const creator = await createElsewhere();
		await oneWaits();
		creator.kill("SIGKILL");
		await eventually(() => waitingAgents(pods.installation).length === 0, { withinMs: 5_000 });
		expect((await runtime.find(id)).map(({ state }) => state)).to.not.include("gone");
	});

	it("end when the runtime is closed, and none is started after that", async () => {
		await runtime.open();
		await oneWaits();
		await runtime.close();
		await eventually(() => pods.processes().length === 0, { withinMs: 5_000 });
		await runtime.create(podSpecFor(id, 1));
		await inState("ready");
		expect(pods.processes()).to.include(agentPid());
	});

	it("leave nothing when the platform is killed before it launched them", async () => {
		await createElsewhere("local-process.spawned");
		await eventually(() => pods.processes().length === 0, { withinMs: readyMs });
		await eventually(async () => (await runtime.find(id)).length === 0);
		await runtime.create(podSpecFor(id, 1));
		await inState("ready");
	});

	it("get no launch document before they are loaded", async () => {
		const projectRoot = join(pods.dataDir, "loading");
		mkdirSync(join(projectRoot, "agent"), { recursive: true });
		const program = `
			if (process.env.ATELIER_SESSION) process.exit(3);
			process.title = "${waitingTitle}";
			setInterval(() => {}, 60_000);`;
		writeFileSync(join(projectRoot, "agent/main.ts"), program);
		runtime = new LocalProcessRuntime({ ...pods.options, projectRoot });
		await runtime.open();
		const waiting = await oneWaits();
		await runtime.create(podSpecFor(id, 1));
		expect((await inState("gone")).failure?.message).to.include("(3)");
		expect(waitingAgents(pods.installation)).to.deep.equal([waiting]);
	});

	it("are replaced: one that was killed", async () => {
		await runtime.open();
		const waiting = await oneWaits();
		process.kill(waiting, "SIGKILL");
		await runtime.create(podSpecFor(id, 1));
		await inState("ready");
		expect(agentPid()).not.to.equal(waiting);
	});

	it("are replaced: one whose folder was removed", async () => {
		await runtime.open();
		const waiting = await oneWaits();
		rmSync(join(pods.dataDir, "run", ".waiting"), { recursive: true });
		await runtime.create(podSpecFor(id, 1));
		await inState("ready");
		expect(agentPid()).not.to.equal(waiting);
		await eventually(() => !existsSync(`/proc/${waiting}`));
	});

	it("delay nothing: a frozen one is ended, and the next try starts another", async () => {
		await runtime.open();
		const waiting = await oneWaits();
		process.kill(waiting, "SIGSTOP");
		const refusal = await runtime.create(podSpecFor(id, 1)).catch((error: unknown) => error);
		expect(refusal).to.be.an.instanceOf(Error).with.property("message").that.contains("within 2000 ms");
		await eventually(() => !existsSync(`/proc/${waiting}`));
		await runtime.create(podSpecFor(id, 1));
		await inState("ready");
	});

	it("are not killed for an answer that came while the platform itself was stalled (L4)", async () => {
		const projectRoot = join(pods.dataDir, "slow");
		mkdirSync(join(projectRoot, "agent"), { recursive: true });
		const [told, goOn] = [join(pods.dataDir, "told"), join(pods.dataDir, "go-on")];
		const program = `
			import { once } from "node:events";
			import { existsSync, writeFileSync, writeSync } from "node:fs";
			writeSync(3, "x");
			process.title = "${waitingTitle}";
			await once(process.stdin, "data");
			writeFileSync("${told}", "");
			setInterval(() => {
				if (!existsSync("${goOn}")) return;
				writeSync(3, "x");
				writeFileSync("${told}", "answered");
			}, 10);`;
		writeFileSync(join(projectRoot, "agent/main.ts"), program);
		runtime = new LocalProcessRuntime({ ...pods.options, projectRoot });
		await runtime.open();
		const waiting = await oneWaits();
		const creating = runtime.create(podSpecFor(id, 1));
		await eventually(() => existsSync(told));
		writeFileSync(goOn, "");
		// The time exceeds that of an answer: nothing of this process runs meanwhile, and it handles timers next.
		await nextTurn();
		const standsStill = new Int32Array(new SharedArrayBuffer(4));
		for (let round = 0; round < 300 && readFileSync(told, "utf8") === ""; round++) Atomics.wait(standsStill, 0, 0, 100);
		Atomics.wait(standsStill, 0, 0, 2_100);
		await creating;
		expect(existsSync(`/proc/${waiting}`)).to.equal(true);
	});

	it("are as many as the configuration says, from 0 to 8", () => {
		for (const waiting of [-1, 9, 1.5, "1"]) {
			const options = { ...pods.options, waiting: waiting as number };
			expect(() => new LocalProcessRuntime(options)).to.throw(ConfigError, "from 0 to 8");
		}
	});
});
