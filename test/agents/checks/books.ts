/** What was used and paid is what the model billed, and was asked of the session's own model. */
import { expect } from "chai";
import { costMicros, totalTokens } from "#shared/models/token-counts.ts";
import { microsOf } from "#shared/models/money.ts";
import { prices } from "../../support/agents/agent-platform.ts";
import { eventually } from "../../support/eventually.ts";
import { say, shell } from "../../support/model-server/script.ts";
import { processFile } from "../../support/machine/process-file.ts";
import type { AgentCheck } from "../agent-check.ts";
import { type AgentStage, canary } from "../agent-stage.ts";

const reportedMs = 60_000;
const priceMicros = {
	input: microsOf(prices.input),
	output: microsOf(prices.output),
	cache_read: microsOf(prices.cache_read),
	cache_write: microsOf(prices.cache_write),
};
/** More than agents put into a call, so that what is reserved for one follows from the one before; far from their compaction. */
const large = { input: 30_000, output: 4_000, cache_read: 0, cache_write: 0 };
/** Dollars. */
const largeCall = costMicros(large, priceMicros) / 1e6;
/** What is held for the next call at most: input is taken at the dearest price it may have. */
const largeReservation = costMicros({ ...large, input: 0, cache_write: 1.1 * large.input }, priceMicros) / 1e6;

function billedMicros({ model }: AgentStage): number {
	return model.billed.calls.reduce((sum, { counts }) => sum + costMicros(counts, priceMicros), 0);
}

/** Sum over the agent's sessions. */
async function sumOf(stage: AgentStage, what: "tokens" | "micros"): Promise<number> {
	const views = await Promise.all(stage.sessions.map((session) => session.view()));
	return views.reduce(
		(sum, { tokens_used, budget }) => sum + (what === "tokens" ? tokens_used : microsOf(budget.spent)),
		0,
	);
}

async function isExactly(expected: () => number, reported: () => Promise<number>): Promise<void> {
	const isSame = async (): Promise<boolean> => (await reported()) === expected();
	await eventually(isSame, { withinMs: reportedMs, everyMs: 200 }).catch(async (cause: unknown) => {
		throw new Error(`Reported ${await reported()}, billed ${expected()}`, { cause });
	});
	expect(expected()).to.be.above(0);
}

/** Environment and arguments of a process; empty when it is gone. */
function surroundings(pid: number): string {
	return `${processFile(pid, "environ")}\n${processFile(pid, "cmdline")}`.replaceAll("\0", "\n");
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
			await session.api.put(session.path, { budget: { limit: 10 * limit } });
			await eventually(async () => !(await isPaused()), { withinMs: reportedMs, what: "it goes on" });
			expect((await session.does("RICH", [say("Here I am.")])).content).to.include("Here I am.");
		},
	},
	{
		row: "tokens to the token",
		run: (stage) =>
			isExactly(
				() => totalTokens(stage.model.billed.total),
				() => sumOf(stage, "tokens"),
			),
	},
	{
		row: "cost to the micro-dollar",
		run: (stage) =>
			isExactly(
				() => billedMicros(stage),
				() => sumOf(stage, "micros"),
			),
	},
	{
		row: "calls the session's model only",
		async run({ model }) {
			expect([...new Set(model.requests.map((request) => request.model))]).to.deep.equal([model.model]);
		},
	},
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
