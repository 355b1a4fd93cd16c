import { expect } from "chai";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import {
	agentRole,
	agentVariable,
	MarkedProcesses,
	sendSignal,
} from "#services/pod-manager/pod-runtimes/local-process/marked-processes.ts";
import { turnClock } from "#shared/clock.ts";
import { agentTitle, waitingArgument } from "#shared/pod/agent-title.ts";
import { marker } from "#shared/pod/launch.ts";
import { eventually } from "../../../../../support/eventually.ts";

describe("MarkedProcesses", () => {
	const installation = randomBytes(8).toString("hex");
	const sessionId = randomUUID();
	const children: ChildProcess[] = [];

	function mark(more: Record<string, string> = {}): Record<string, string> {
		return {
			[marker.installation]: installation,
			[marker.session]: sessionId,
			[marker.generation]: "3",
			...more,
		};
	}

	async function start(script: string, env: Record<string, string>): Promise<number> {
		const child = spawn("sh", ["-c", script], { env: { PATH: process.env["PATH"] ?? "", ...env }, stdio: "ignore" });
		children.push(child);
		await once(child, "spawn");
		return child.pid ?? 0;
	}

	afterEach(async () => {
		for (const child of children.splice(0)) {
			if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "exit");
		}
	});

	it("finds what carries the marker of this installation, and who is the agent", async () => {
		const agent = await start("exec sleep 60", mark({ [agentVariable]: agentRole }));
		const other = await start("exec sleep 60", mark());
		await start("exec sleep 60", mark({ [marker.installation]: "another" }));
		await start("exec sleep 60", mark({ [marker.session]: "../../etc" }));
		await start("exec sleep 60", {});
		const found = await new MarkedProcesses(installation).scan();
		expect(found.map(({ pid, isAgent }) => [pid, isAgent])).to.have.deep.members([
			[agent, true],
			[other, false],
		]);
		expect(found[0]).to.include({ sessionId, generation: 3 });
	});

	it("finds a process that was seen before it became one of ours", async () => {
		const words = Object.entries(mark()).map(([name, value]) => `${name}=${value}`);
		const processes = new MarkedProcesses(installation);
		const pid = await start(`sleep 0.3; exec env ${words.join(" ")} sleep 60`, {});
		expect(await processes.scan()).to.deep.equal([]);
		await eventually(async () => (await processes.scan()).some((process) => process.pid === pid));
	});

	it("takes a process that wears the agent's environment until it runs its own program for what it becomes", async () => {
		const processes = new MarkedProcesses(installation);
		const pid = await start(`sleep 0.3; exec env -u ${agentVariable} sleep 60`, mark({ [agentVariable]: agentRole }));
		expect((await processes.scan()).find((process) => process.pid === pid)?.isAgent).to.equal(true);
		await eventually(async () => (await processes.scan()).some((process) => process.pid === pid && !process.isAgent));
	});

	it("finds an agent that waited under the session in its title, as soon as that is there", async () => {
		const title = agentTitle({ session_id: sessionId, generation: 3 });
		const waits = `process.stdin.once("data", () => { process.title = ${JSON.stringify(title)}; })`;
		const env = { [marker.installation]: installation, [agentVariable]: agentRole };
		const agent = spawn(process.execPath, ["-e", waits, waitingArgument], { env, stdio: ["pipe", "ignore", "ignore"] });
		children.push(agent);
		await once(agent, "spawn");
		let ahead = 0;
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => performance.now() + ahead });
		try {
			const processes = new MarkedProcesses(installation);
			expect(await processes.scan()).to.deep.equal([]);
			// By now it would be known by heart.
			ahead = 10_000;
			expect(await processes.scan()).to.deep.equal([]);
			agent.stdin?.write("\n");
			const [found] = await eventually(async () => {
				const all = await processes.scan();
				return all.length > 0 && all;
			});
			expect(found).to.include({ pid: agent.pid, sessionId, generation: 3, isAgent: true });
		} finally {
			turnBack();
		}
	});

	it("takes no other process for an agent because of its title", async () => {
		const title = agentTitle({ session_id: sessionId, generation: 3 });
		const env = { [marker.installation]: installation };
		const other = spawn("bash", ["-c", `exec -a "${title}" sleep 60`], { env, stdio: "ignore" });
		children.push(other);
		await eventually(() => readFileSync(`/proc/${other.pid}/cmdline`, "utf8").startsWith(title));
		expect(await new MarkedProcesses(installation).scan()).to.deep.equal([]);
	});

	it("does not count a process of which only the exit status is left", async () => {
		let ahead = 0;
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => performance.now() + ahead });
		try {
			const processes = new MarkedProcesses(installation);
			// The second program of this process never asks how the first one's child ended.
			const parent = await start("sleep 0.5 & exec sleep 60", mark());
			await eventually(async () => (await processes.scan()).length === 2);
			// From now on they are known by heart.
			ahead = 10_000;
			const both = (await processes.scan()).map(({ pid }) => pid);
			const child = both.find((pid) => pid !== parent);
			await eventually(() => readFileSync(`/proc/${child}/stat`, "utf8").includes(") Z "));
			expect((await processes.scan()).map(({ pid }) => pid)).to.deep.equal([parent]);
		} finally {
			turnBack();
		}
	});

	it("signals a process, but not one that has got its id since", async () => {
		await start("exec sleep 60", mark());
		await start("exec sleep 60", mark());
		const processes = new MarkedProcesses(installation);
		const [spared, ended] = await processes.scan();
		if (!spared || !ended) throw new Error("Not found");
		sendSignal({ ...spared, startTime: String(Number(spared.startTime) - 1) }, "SIGKILL");
		sendSignal({ ...spared, pid: 2 ** 22 + 1 }, "SIGKILL");
		sendSignal(ended, "SIGKILL");
		await eventually(async () => !(await processes.scan()).some(({ pid }) => pid === ended.pid));
		expect((await processes.scan()).map(({ pid }) => pid)).to.deep.equal([spared.pid]);
	});
});
