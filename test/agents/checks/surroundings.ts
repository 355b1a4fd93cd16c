/** The surroundings of an agent: no secret, no more memory than documented, and no process left behind. */
import { expect } from "chai";
import { processFile } from "../../support/machine/process-file.ts";
import type { AgentCheck } from "../agent-check.ts";
import { canary } from "../agent-stage.ts";

/** The environment and arguments of a process; empty when it has ended. */
function surroundings(pid: number): string {
	return `${processFile(pid, "environ")}\n${processFile(pid, "cmdline")}`.replaceAll("\0", "\n");
}

export const surroundingChecks: readonly AgentCheck[] = [
	{
		row: "no secret in environments and arguments",
		async run(stage) {
			const session = await stage.trusted();
			const pids = session.processes();
			expect(pids.length).to.be.above(1);
			const seen = pids.map(({ pid }) => surroundings(pid)).join("\n");
			expect(seen).to.include(session.id);
			expect(seen).to.not.include(stage.model.key);
			expect(seen).to.not.match(/svcs_\w{16}/);
			expect(seen).to.not.include(canary);
			const platform = stage.testbed.platform.processes.map(({ pid }) => surroundings(pid)).join("\n");
			expect(platform, "control: where the session's processes are from").to.include("services/start.ts");
			expect(platform).to.not.include(stage.model.key);
		},
	},
	{
		row: "memory, MB",
		async run({ memory, agent }) {
			memory.look();
			expect(memory.peak, "what its record says").to.be.within(1, agent.memory_mb);
			return `${memory.peak} of ${agent.memory_mb}`;
		},
	},
	{
		row: "leaves no process when it is deleted",
		async run(stage) {
			for (const session of stage.sessions) await session.delete();
		},
	},
	{
		row: "the model understood every request",
		async run({ model }) {
			expect(model.problems).to.deep.equal([]);
		},
	},
];
