/** The recorded usage and cost equal the model's bill, and all calls used the session's own model. */
import { expect } from "chai";
import { costMicros, type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";
import { microsOf } from "#shared/wire/models/money.ts";
import { prices } from "../../support/agents/agent-platform.ts";
import { eventually } from "../../support/eventually.ts";
import { say, shell } from "../../support/model-server/script.ts";
import type { AgentCheck } from "../agent-check.ts";
import type { AgentStage } from "../agent-stage.ts";

const reportedMs = 60_000;
const priceMicros = {
	input: microsOf(prices.input),
	output: microsOf(prices.output),
	cache_read: microsOf(prices.cache_read),
	cache_write: microsOf(prices.cache_write),
};
/**
 * The size exceeds what agents put into a call, so that each reservation follows from the call before; it is far from
 * their compaction.
 */
const large = { input: 30_000, output: 4_000, cache_read: 0, cache_write: 0 };
/** The limit in dollars. */
const largeCall = costMicros(large, priceMicros) / 1e6;
/** The largest hold for the next call: input has its highest possible price. */
const largeReservation = costMicros({ ...large, input: 0, cache_write: 1.1 * large.input }, priceMicros) / 1e6;

/** A part of the message by which the platform continues a turn that a budget has cut. */
const continuation = "was cut off before it was complete";

/** The sum over the agent's sessions. */
async function sumOf(stage: AgentStage, what: "tokens" | "micros"): Promise<number> {
	const views = await Promise.all(stage.sessions.map((session) => session.view()));
	return views.reduce(
		(sum, { tokens_used, budget }) => sum + (what === "tokens" ? tokens_used : microsOf(budget.spent)),
		0,
	);
}

/**
 * The model's bill, by the kinds of tokens. A response to an agent that disconnected may or may not have been read.
 */
function billedSums({ model }: AgentStage, amountOf: (counts: TokenCounts) => number): Set<number> {
	const sums = new Set([0]);
	for (const { counts, end, mayBeUnread } of model.billed.calls) {
		const amount = amountOf(counts);
		const before = [...sums];
		if (end !== "left" && !mayBeUnread) sums.clear();
		for (const sum of before) sums.add(sum + amount);
	}
	return sums;
}

async function isExactly(billed: () => Set<number>, reported: () => Promise<number>): Promise<void> {
	const isSame = async (): Promise<boolean> => billed().has(await reported());
	await eventually(isSame, { withinMs: reportedMs, everyMs: 200 }).catch(async (cause: unknown) => {
		throw new Error(`Reported ${await reported()}, billed ${[...billed()].join(" or ")}`, { cause });
	});
	expect(await reported()).to.be.above(0);
}

export const bookChecks: readonly AgentCheck[] = [
	{
		row: "a limit pauses it, within one call",
		async run(stage) {
			const session = await stage.trusted();
			const limit = (await session.view()).budget.spent + 3.5 * largeCall;
			expect((await session.api.put(session.path, { budget: { limit } })).status).to.equal(200);
			const command = shell("echo spent >> spent.txt", { usage: large });
			await session.does(
				"SPEND",
				Array.from({ length: 20 }, () => command),
			);
			const isPaused = async (): Promise<boolean> => (await session.view()).budget.paused;
			await eventually(isPaused, { withinMs: reportedMs, what: "it is paused" });
			const { spent } = (await session.view()).budget;
			expect(spent)
				.to.be.above(limit - largeReservation)
				.and.below(limit + largeCall);
			// The continuation of this turn has the same text in the session of every agent.
			session.learns(continuation, [say("There is room.")]);
			await session.api.put(session.path, { budget: { limit: 10 * limit } });
			await eventually(async () => !(await isPaused()), { withinMs: reportedMs, what: "it goes on" });
			expect((await session.does("RICH", [say("Here I am.")])).content).to.include("Here I am.");
		},
	},
	{
		row: "a turn that a limit cuts says `budget`, and goes on after a raise",
		async run(stage) {
			const session = await stage.trusted();
			const limit = (await session.view()).budget.spent + 3.5 * largeCall;
			await session.api.put(session.path, { budget: { limit } });
			const numbers = Array.from({ length: 8 }, (_, index) => `${index + 1}`);
			const commands = numbers.map((number) => shell(`echo ${number} >> cut.txt`, { usage: large }));
			const cut = await session.does("CUT", [...commands, say("All steps are done.")]);
			expect(cut.metadata["stop_reason"], cut.content).to.equal("budget");
			expect(cut.metadata["error"]).to.match(/budget/i);
			expect(cut.content).to.not.include("All steps are done.");
			const done = session.contentOf("cut.txt").split("\n").length;
			const seen = stage.model.requests.length;
			session.learns(continuation, [...commands.slice(done), say("All steps are done.")]);
			await session.api.put(session.path, { budget: { limit: 10 * limit } });
			const rest = await session.talk.answer(`${cut.id}-continued`);
			expect(rest.metadata["stop_reason"], rest.content).to.equal("end_turn");
			expect(rest.content).to.include("All steps are done.");
			expect(session.contentOf("cut.txt").split("\n")).to.deep.equal(numbers);
			const told = JSON.stringify(stage.model.requests.slice(seen).find(({ tools }) => tools.length > 0)?.items);
			expect(told, "what the model is told of the turn that was cut").to.include(`echo ${done} >> cut.txt`);
		},
	},
	{
		row: "tokens to the token",
		run: (stage) =>
			isExactly(
				() => billedSums(stage, totalTokens),
				() => sumOf(stage, "tokens"),
			),
	},
	{
		row: "cost to the micro-dollar",
		run: (stage) =>
			isExactly(
				() => billedSums(stage, (counts) => costMicros(counts, priceMicros)),
				() => sumOf(stage, "micros"),
			),
	},
	{
		row: "calls the session's model only",
		async run({ model }) {
			expect([...new Set(model.requests.map((request) => request.model))]).to.deep.equal([model.model]);
		},
	},
];
