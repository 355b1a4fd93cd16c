/** The repository of a session has the work and nothing of the agent, whatever a person permits for ever. */
import { expect } from "chai";
import { rmSync } from "node:fs";
import { edit, say, shell } from "../../support/model-server/script.ts";
import { git } from "../../support/repositories/git-repository.ts";
import type { AgentCheck } from "../agent-check.ts";
import { enterPlanMode } from "./modes.ts";

const work = ["made.txt", "ran.txt"];

export const repositoryChecks: readonly AgentCheck[] = [
	{
		row: "leaves nothing of its own in the repository: diff, `git status`, `git add --all`",
		async run(stage) {
			const session = await stage.cloned();
			const folder = session.ownFile("");
			await session.does("CLONE", [edit(session.file("made.txt"), "by the agent\n"), say("Written.")], "allowForever");
			for (const time of ["FIRST", "SECOND"])
				await session.does(`${time}-CLONE`, [shell("echo ran > ran.txt"), say("It ran.")], "allowForever");
			await session.does("PLAN-CLONE", [enterPlanMode, say("I am planning.")], "allowForever");
			const { body } = await session.api.get<{ files: { path: string }[] }>(`${session.path}/diff`);
			expect(body.files.map(({ path }) => path)).to.have.members(work);
			const status = ["status", "--porcelain", "--untracked-files=all"];
			expect(linesOf(git(folder, status))).to.have.members(work.map((name) => `?? ${name}`));
			expect(linesOf(git(folder, ["add", "--all", "--dry-run"]))).to.have.members(work.map((name) => `add '${name}'`));
			for (const name of work) rmSync(session.ownFile(name));
			expect(git(folder, status), "without the work").to.equal("");
		},
	},
];

function linesOf(text: string): string[] {
	return text.split("\n").filter((line) => line !== "");
}
