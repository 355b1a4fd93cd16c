/** The surroundings of an agent: no secret, no more memory than documented, and no process left behind. */
import { expect } from "chai";
import { readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say, shell } from "../../support/model-server/script.ts";
import { processFile } from "../../support/machine/process-file.ts";
import type { AgentCheck } from "../agent-check.ts";
import { canary } from "../agent-stage.ts";
import { leftFiles } from "../left-files.ts";

/** The environment and arguments of a process; empty when it has ended. */
function surroundings(pid: number): string {
	return `${processFile(pid, "environ")}\n${processFile(pid, "cmdline")}`.replaceAll("\0", "\n");
}

function isEmptyFolder(path: string): boolean {
	return statSync(path).isDirectory() && readdirSync(path).length === 0;
}

export const secretCheck: AgentCheck = {
	row: "no secret in environments and arguments",
	async run(stage) {
		const session = await stage.trusted();
		const pids = session.processes();
		expect(pids).to.have.length.above(0);
		const seen = pids.map(({ pid }) => surroundings(pid)).join("\n");
		expect(seen).to.include(session.id);
		expect(seen).to.not.include(stage.model.key);
		expect(seen).to.not.match(/svcs_\w{16}/);
		expect(seen).to.not.include(canary);
		const platform = stage.testbed.platform.processes.map(({ pid }) => surroundings(pid)).join("\n");
		expect(platform, "control: where the session's processes are from").to.include("host/main.js");
		expect(platform).to.not.include(stage.model.key);
	},
};

export const surroundingChecks: readonly AgentCheck[] = [
	secretCheck,
	{
		row: "memory, MB",
		async run({ memory, agent }) {
			memory.look();
			expect(memory.peak, "what its record says").to.be.within(1, agent.memory_mb);
			return `${memory.peak} of ${agent.memory_mb}`;
		},
	},
	{
		row: "has a folder of its own for temporary files, which nobody else can read",
		async run(stage) {
			const session = await stage.trusted();
			const { content } = await session.does("TEMPORARY", [
				shell('echo "$TMPDIR" "$TMP" "$TEMP" > folders.txt'),
				say("It ran."),
			]);
			const [folder = "", ...others] = session.contentOf("folders.txt").split(" ");
			expect(others, content).to.deep.equal([folder, folder]);
			expect(realpathSync(folder)).to.include(session.id);
			expect(statSync(folder).mode & 0o77).to.equal(0);
			const agent = processFile(session.agentPid(), "environ").split("\0");
			expect(agent).to.include(`TMPDIR=${folder}`);
		},
	},
	{
		row: "leaves no process when it is deleted",
		async run(stage) {
			for (const session of stage.sessions) await session.delete();
		},
	},
	{
		row: "leaves nothing in the machine's folders for temporary files",
		async run({ ids, agent, memory, openedAt }) {
			const by = { sessions: ids, agent: agent.id, pids: memory.pids, sinceMs: openedAt };
			const control = join(tmpdir(), `control-${by.sessions[0]}`);
			writeFileSync(control, "");
			try {
				const left = leftFiles(by);
				const empty = left.filter(isEmptyFolder);
				expect(left.filter((path) => !empty.includes(path))).to.deep.equal([control]);
				return empty.length > 0 ? "an empty folder" : "+";
			} finally {
				rmSync(control);
			}
		},
	},
	{
		row: "the model understood every request",
		async run({ model }) {
			expect(model.problems).to.deep.equal([]);
		},
	},
];
