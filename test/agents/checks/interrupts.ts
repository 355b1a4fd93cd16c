/** An interrupted turn ends soon, with everything that it has begun. */
import { expect } from "chai";
import { patience } from "../../support/machine/patience.ts";
import { eventually } from "../../support/eventually.ts";
import { say, shell, type Step } from "../../support/model-server/script.ts";
import { waitCommand } from "../../support/agents/wait-command.ts";
import { type AgentCheck, seconds } from "../agent-check.ts";
import type { StagedSession } from "../staged-session.ts";

/** An agent that ignores an interrupt is ended after 10 s. */
const heededMs = 15_000;
const stalled: Step = () => ({ text: "Never said.", fault: { kind: "stall" } });

async function interrupted(session: StagedSession, message: string): Promise<string> {
	const since = performance.now();
	expect((await session.api.post(`${session.path}/interrupt`)).status).to.equal(200);
	const { metadata } = await session.talk.answer(message);
	const taken = seconds(since);
	expect(metadata["stop_reason"]).to.equal("cancelled");
	expect(performance.now() - since).to.be.below(heededMs * patience());
	return taken;
}

export const interruptChecks: readonly AgentCheck[] = [
	{
		row: "interrupt during a model call",
		async run(stage) {
			const session = await stage.trusted();
			const message = await session.begins("STALL", [stalled]);
			await session.modelIsAsked("STALL");
			return interrupted(session, message);
		},
	},
	{
		row: "interrupt during a command, which ends",
		async run(stage) {
			const session = await stage.trusted();
			const message = await session.begins("WAIT", [
				shell(waitCommand(session.file("waiting.pid"))),
				say("Never said."),
			]);
			await session.talk.until(() => session.contentOf("waiting.pid") !== "", "the command runs");
			expect(session.runs("waiting.pid"), "control: it is seen while it runs").to.equal(true);
			const taken = await interrupted(session, message);
			await eventually(() => !session.runs("waiting.pid"), {
				withinMs: heededMs * patience(),
				what: "the command has ended",
			});
			return taken;
		},
	},
	{
		row: "goes on after interrupts",
		async run(stage) {
			const session = await stage.trusted();
			expect((await session.does("AFTERWARDS", [say("Here I am.")])).content).to.include("Here I am.");
		},
	},
];
