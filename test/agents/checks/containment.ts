/** A session in a container has no network, and its agent makes do with the container. */
import { expect } from "chai";
import { patience } from "../../support/machine/patience.ts";
import { eventually } from "../../support/eventually.ts";
import { call, edit, repeatResult, say, shell } from "../../support/model-server/script.ts";
import type { AgentCheck } from "../agent-check.ts";

const toldMs = 15_000;
/** The agent is asked to reach it, so that it is seen that attempts are told. */
const control = "control.example:443";
/** The servers that no setting keeps an agent from asking: its maker's switches for its own functions. */
const unavoidable: Readonly<Record<string, readonly string[]>> = { cline: ["data.cline.bot:443"] };
const refused = / The connection to (\S+) was refused: /;

export const containmentChecks: readonly AgentCheck[] = [
	{
		row: "a command in its own sandbox, which no container allows, does nothing unasked",
		applies: ({ sandboxes }) => sandboxes?.includes("commands") === true,
		async run(stage) {
			const session = await stage.asking();
			const before = session.talk.asked.length;
			const command = "echo no > sandboxed.txt";
			const { content } = await session.does("SANDBOX", [call("exec_command", { cmd: command }), repeatResult]);
			expect(content).to.match(/bwrap|sandbox|namespace/i);
			expect(session.talk.asked).to.have.lengthOf(before);
			expect(session.contentOf("sandboxed.txt")).to.equal("");
		},
	},
	{
		row: "works without any way out; servers that it tries to reach beside its model",
		async run(stage) {
			const session = await stage.alone();
			const reach = shell("git ls-remote https://control.example/repository; echo over > over.txt");
			const steps = [edit(session.file("made.txt"), "by the agent\n"), reach, say("All is done.")];
			const { content } = await session.does("ALONE", steps);
			expect(content).to.include("All is done.");
			expect(session.contentOf("made.txt")).to.equal("by the agent");
			expect(session.contentOf("over.txt")).to.equal("over");
			const tried = async () => (await session.view()).warnings.flatMap((text) => refused.exec(text)?.[1] ?? []);
			await eventually(async () => (await tried()).includes(control), {
				withinMs: toldMs * patience(),
				what: "the control is told",
			});
			const others = (await tried()).filter((server) => server !== control);
			expect(unavoidable[stage.agent.id] ?? []).to.include.members(others);
			return others.join(", ") || "none";
		},
	},
	{
		row: "memory of a container at work, MB, with the files of its home",
		async run(stage) {
			const session = await stage.alone();
			return String(stage.testbed.place?.memoryOf(session.id));
		},
	},
];
