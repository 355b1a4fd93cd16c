import { expect } from "chai";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import {
	agentRole,
	agentVariable,
	MarkedProcesses,
} from "#services/pod-manager/pod-runtimes/local-process/marked-processes.ts";
import { PodMarks } from "#services/pod-manager/pod-runtimes/local-process/pod-marks.ts";
import { sendSignal } from "#shared/base/files/process-files.ts";
import { turnClock } from "#shared/base/clock.ts";
import { agentTitle, waitingArgument } from "#shared/wire/pod/agent-title.ts";
import { marker } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { processFile } from "../../../../../support/machine/process-file.ts";

describe("MarkedProcesses", () => {
	const installation = randomBytes(8).toString("hex");
	const sessionId = randomUUID();
	const marks = new PodMarks(installation, "key of the test");
	const proof = marks.proof({ sessionId, generation: 3 });
	const children: ChildProcess[] = [];

	function mark(more: Record<string, string> = {}): Record<string, string> {
		return {
			[marker.installation]: installation,
			[marker.session]: sessionId,
			[marker.generation]: "3",
			[marker.proof]: proof,
			...more,
		};
	}

	/** A process that executes another program when its input ends. */
	function begin(program: string, env: Record<string, string>): ChildProcess & { pid: number; stdin: Writable } {
		const script = `read -r _; exec ${program}`;
		const whole = { PATH: process.env["PATH"] ?? "", ...env };
		const child = spawn("sh", ["-c", script], { env: whole, stdio: ["pipe", "ignore", "ignore"] });
		children.push(child);
		return Object.assign(child, { pid: child.pid ?? expect.fail("It was not started") });
	}

	/**
	 * Resolves when the program runs: a process that executes another program shows no environment for a moment
	 * (proc(5)).
	 */
	function runs({ pid }: { pid: number }, program: string): Promise<unknown> {
		const isThere = () => processFile(pid, "cmdline").startsWith(`${program}\0`) && processFile(pid, "environ") !== "";
		return eventually(isThere, { withinMs: 15_000, what: `${program} runs` });
	}

	async function sleeper(env: Record<string, string>): Promise<number> {
		const child = begin("sleep 60", env);
		child.stdin.end();
		await runs(child, "sleep");
		return child.pid;
	}

	afterEach(async () => {
		for (const child of children.splice(0)) {
			if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "exit");
		}
	});

	it("finds the processes with the marker of this installation, and the agent among them", async () => {
		const agent = await sleeper(mark({ [agentVariable]: agentRole }));
		const other = await sleeper(mark());
		await sleeper(mark({ [marker.installation]: "another" }));
		await sleeper(mark({ [marker.session]: "../../etc" }));
		await sleeper({});
		const found = await new MarkedProcesses(marks).scan();
		expect(found.map(({ pid, isAgent }) => [pid, isAgent])).to.have.deep.members([
			[agent, true],
			[other, false],
		]);
		expect(found[0]).to.include({ sessionId, generation: 3 });
	});

	it("ignores processes that claim to be a pod's without a proof of this installation (M3)", async () => {
		const other = randomUUID();
		const stolen = mark({ [marker.session]: other });
		const newer = mark({ [marker.generation]: "99" });
		const foreign = new PodMarks(installation, "another key").proof({ sessionId: other, generation: 99 });
		const invented = mark({ [marker.session]: other, [marker.generation]: "99", [marker.proof]: foreign });
		const { [marker.proof]: _, ...unproven } = mark();
		for (const env of [stolen, newer, invented, unproven, { ...newer, [agentVariable]: agentRole }]) await sleeper(env);
		const ours = await sleeper(mark());
		const processes = new MarkedProcesses(marks);
		expect((await processes.scan()).map(({ pid }) => pid)).to.deep.equal([ours]);
	});

	it("ignores a waiting agent whose title lacks the proof of a session (M3)", async () => {
		const title = agentTitle({ session_id: randomUUID(), generation: 99, proof });
		const env = { [marker.installation]: installation, [agentVariable]: agentRole };
		const agent = spawn("bash", ["-c", `exec -a "${title}" sleep 60`], { env, stdio: "ignore" });
		children.push(agent);
		await eventually(() => processFile(agent.pid ?? 0, "cmdline").startsWith(title));
		expect(await new MarkedProcesses(marks).scan()).to.deep.equal([]);
	});

	it("scans the whole machine at most every 250 ms, for any number of questions (M5)", async () => {
		const processes = new MarkedProcesses(marks);
		const since = performance.now();
		const [first, second] = await Promise.all([processes.scan(), processes.scan()]);
		expect(first).to.deep.equal(second);
		await processes.scan();
		await processes.scan();
		expect(performance.now() - since).to.be.at.least(490);
	});

	it("detects new and ended processes of a pod at once, without another scan (M5)", async () => {
		// The whole test lies within the time of one shared look, even on a busy machine.
		const moment = performance.now();
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => moment });
		try {
			const processes = new MarkedProcesses(marks);
			expect(await processes.ofSession(sessionId)).to.deep.equal([]);
			const pid = await sleeper({});
			processes.note(pid, { sessionId, generation: 3, isAgent: true });
			expect((await processes.ofSession(sessionId)).map((process) => process.pid)).to.deep.equal([pid]);
			const [child] = children;
			child?.kill("SIGKILL");
			await once(child ?? expect.fail(), "exit");
			expect(await processes.ofSession(sessionId)).to.deep.equal([]);
		} finally {
			turnBack();
		}
	});

	it("finds the children of a session's last process since the last scan (M5)", async () => {
		const processes = new MarkedProcesses(marks);
		const parent = begin("sleep 60", mark());
		await runs(parent, "sh");
		await eventually(async () => (await processes.ofSession(sessionId)).length === 1);
		const left = await sleeper(mark());
		parent.kill("SIGKILL");
		await once(parent, "exit");
		expect((await processes.ofSession(sessionId)).map(({ pid }) => pid)).to.deep.equal([left]);
	});

	it("finds a process that was seen before it got the marker", async () => {
		const words = Object.entries(mark()).map(([name, value]) => `${name}=${value}`);
		const processes = new MarkedProcesses(marks);
		const child = begin(`env ${words.join(" ")} sleep 60`, {});
		await runs(child, "sh");
		expect(await processes.scan()).to.deep.equal([]);
		child.stdin.end();
		await eventually(async () => (await processes.scan()).some(({ pid }) => pid === child.pid));
	});

	it("classifies a child with the agent's environment by the program that it executes", async () => {
		const processes = new MarkedProcesses(marks);
		const child = begin(`env -u ${agentVariable} sleep 60`, mark({ [agentVariable]: agentRole }));
		await runs(child, "sh");
		expect((await processes.scan()).find(({ pid }) => pid === child.pid)?.isAgent).to.equal(true);
		child.stdin.end();
		await eventually(async () => (await processes.scan()).some(({ pid, isAgent }) => pid === child.pid && !isAgent));
	});

	it("finds an agent that waited by the session in its title at once", async () => {
		const title = agentTitle({ session_id: sessionId, generation: 3, proof });
		const waits = `process.stdin.once("data", () => { process.title = ${JSON.stringify(title)}; })`;
		const env = { [marker.installation]: installation, [agentVariable]: agentRole };
		const agent = spawn(process.execPath, ["-e", waits, waitingArgument], { env, stdio: ["pipe", "ignore", "ignore"] });
		children.push(agent);
		await runs({ pid: agent.pid ?? expect.fail("It was not started") }, process.execPath);
		let ahead = 0;
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => performance.now() + ahead });
		try {
			const processes = new MarkedProcesses(marks);
			expect(await processes.scan()).to.deep.equal([]);
			// The process would be cached by now.
			ahead = 10_000;
			expect(await processes.scan()).to.deep.equal([]);
			agent.stdin?.write("\n");
			const inTitle = async () => (await processes.scan())[0];
			const found = await eventually(inTitle, { withinMs: 15_000, what: "the session is in its title" });
			expect(found).to.include({ pid: agent.pid, sessionId, generation: 3, isAgent: true });
		} finally {
			turnBack();
		}
	});

	it("does not mistake another process for an agent because of its title", async () => {
		const title = agentTitle({ session_id: sessionId, generation: 3, proof });
		const env = { [marker.installation]: installation };
		const other = spawn("bash", ["-c", `exec -a "${title}" sleep 60`], { env, stdio: "ignore" });
		children.push(other);
		await eventually(() => readFileSync(`/proc/${other.pid}/cmdline`, "utf8").startsWith(title));
		expect(await new MarkedProcesses(marks).scan()).to.deep.equal([]);
	});

	it("does not count a zombie process", async () => {
		let ahead = 0;
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => performance.now() + ahead });
		try {
			const processes = new MarkedProcesses(marks);
			// The second program of this process never asks how the child of the first one ended.
			const shell = spawn("sh", ["-c", "sleep 60 & exec sleep 60"], { env: mark(), stdio: "ignore" });
			children.push(shell);
			const parent = shell.pid ?? expect.fail("It was not started");
			const child = await eventually(async () => (await processes.scan()).find(({ pid }) => pid !== parent)?.pid);
			for (const pid of [parent, child]) await runs({ pid }, "sleep");
			expect(await processes.scan()).to.have.length(2);
			// The processes would be cached from now on.
			ahead = 10_000;
			expect(await processes.scan()).to.have.length(2);
			process.kill(child, "SIGKILL");
			await eventually(() => readFileSync(`/proc/${child}/stat`, "utf8").includes(") Z "));
			expect((await processes.scan()).map(({ pid }) => pid)).to.deep.equal([parent]);
		} finally {
			turnBack();
		}
	});

	it("signals a process, but no later one with its id", async () => {
		await sleeper(mark());
		await sleeper(mark());
		const processes = new MarkedProcesses(marks);
		const [spared, ended] = await processes.scan();
		if (!spared || !ended) throw new Error("Not found");
		sendSignal({ ...spared, startTime: String(Number(spared.startTime) - 1) }, "SIGKILL");
		sendSignal({ ...spared, pid: 2 ** 22 + 1 }, "SIGKILL");
		sendSignal(ended, "SIGKILL");
		await eventually(async () => !(await processes.scan()).some(({ pid }) => pid === ended.pid));
		expect((await processes.scan()).map(({ pid }) => pid)).to.deep.equal([spared.pid]);
	});

	it("finds processes of its own host and those that name none, but none of another host", async () => {
		const hosted = (host: string) => new PodMarks(installation, "key of the test", host);
		const [own, unnamed, foreign] = [
			await sleeper(mark({ [marker.host]: "a".repeat(16) })),
			await sleeper(mark()),
			await sleeper(mark({ [marker.host]: "b".repeat(16) })),
		];
		const found = (await new MarkedProcesses(hosted("a".repeat(16))).scan()).map(({ pid }) => pid);
		expect(found).to.include.members([own, unnamed]).and.not.to.include(foreign);
		const launch = { sessionId, generation: 3 };
		expect(hosted("a".repeat(16)).parse(hosted("a".repeat(16)).name(launch))).to.deep.equal(launch);
		expect(hosted("a".repeat(16)).parse(hosted("b".repeat(16)).name(launch)), "a group").to.equal(undefined);
	});
});
