/** The agent's own modes are seen and can be set, and one that the agent enters by itself does not outlast its turn. */
import { expect } from "chai";
import { say, shell, type Step } from "../../support/model-server/script.ts";
import { objectOf } from "../../support/model-server/schema-instance.ts";
import type { AgentCheck } from "../agent-check.ts";

const nothing = "No tool changes the mode.";
const planTool = /^enter_?plan_?mode$/i;

/** A step that calls the tool by which the model begins to plan. */
export const enterPlanMode: Step = ({ tools }) => {
	const tool = tools.find(({ name }) => planTool.test(name));
	return tool ? { calls: [{ name: tool.name, args: objectOf(tool.schema ?? {}, {}) }] } : { text: nothing };
};

export const modeChecks: readonly AgentCheck[] = [
	{
		row: "its own modes are seen, can be set, and last",
		async run(stage) {
			const session = await stage.trusted();
			const before = await session.mode();
			if (before.modes.length === 0) return "not offered";
			for (const { id } of before.modes) {
				await session.choosesMode(id);
				expect((await session.mode()).id).to.equal(id);
				expect((await session.does(`MODE-${id}`, [say("Here I am.")])).content).to.include("Here I am.");
				expect((await session.mode()).id, "after a turn").to.equal(id);
			}
			await session.choosesMode(before.id);
			expect((await session.api.put(`${session.path}/mode`, { mode: "no-such-mode" })).status).to.equal(400);
			await session.does("MODELESS", [shell("echo back > back.txt"), say("It ran.")]);
			expect(session.contentOf("back.txt")).to.equal("back");
			return String(before.modes.length);
		},
	},
	{
		row: "a mode that it enters by itself is seen, and ends with the turn",
		async run(stage) {
			const session = await stage.trusted();
			const before = await session.mode();
			const { content } = await session.does("PLAN", [enterPlanMode, say("I am planning.")]);
			if (content.includes(nothing)) return "not offered";
			expect((await session.mode()).id).to.not.equal(before.id);
			await session.does("ACT", [shell("echo acted > acted.txt"), say("It ran.")]);
			expect(session.contentOf("acted.txt")).to.equal("acted");
			expect((await session.mode()).id).to.equal(before.id);
			return "+";
		},
	},
];
