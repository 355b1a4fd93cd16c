/** A killed coding agent is started again once; the second time the session fails, and can be started again. */
import { expect } from "chai";
import { patience } from "../../support/machine/patience.ts";
import { eventually } from "../../support/eventually.ts";
import { say, shell } from "../../support/model-server/script.ts";
import { waitCommand } from "../../support/agents/wait-command.ts";
import { type AgentCheck, seconds } from "../agent-check.ts";

const noticedMs = 15_000;

export const killChecks: readonly AgentCheck[] = [
	{
		row: "kill -9 in a turn: `interrupted`, next answer after",
		async run(stage) {
			const session = await stage.trusted();
			const message = await session.begins("KILLED", [shell(waitCommand(session.file("killed-waiting.pid")))]);
			await session.talk.until(() => session.contentOf("killed-waiting.pid") !== "", "the command runs");
			const since = performance.now();
			process.kill(session.agentPid(), "SIGKILL");
			expect((await session.talk.answer(message)).metadata["stop_reason"]).to.equal("interrupted");
			expect((await session.does("REVIVED", [say("Here I am.")])).content).to.include("Here I am.");
			return seconds(since);
		},
	},
	{
		row: "kill -9 again: `AGENT_LOST`, and starts",
		async run(stage) {
			const session = await stage.trusted();
			process.kill(session.agentPid(), "SIGKILL");
			const failed = async (): Promise<boolean> => (await session.view()).status === "failed";
			await eventually(failed, { withinMs: noticedMs * patience(), what: "the session has failed" });
			expect((await session.view()).status_reason?.code).to.equal("AGENT_LOST");
			await session.start();
			expect((await session.does("STARTED", [say("Here I am.")])).content).to.include("Here I am.");
		},
	},
];
