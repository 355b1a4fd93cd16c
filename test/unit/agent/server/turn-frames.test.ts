import { expect } from "chai";
import { fencedOutput } from "#shared/wire/pod/fenced-output.ts";
import type { StreamFrame } from "#shared/wire/pod/frames.ts";
import { AssistantTurn } from "#agent/conversation/assistant-turn.ts";
import type { AgentUpdate } from "#agent/coding-agents/coding-agent.ts";
import { TurnFrames } from "#agent/server/turn-frames.ts";

/** A turn, and the frames of all its updates. */
function play(updates: AgentUpdate[]): { turn: AssistantTurn; frames: StreamFrame[]; of: TurnFrames } {
	const turn = new AssistantTurn("m1");
	const of = new TurnFrames();
	const frames = of.began(turn);
	for (const update of updates) {
		turn.apply(update);
		frames.push(...of.updated(update));
	}
	return { turn, frames, of };
}

const types = (frames: StreamFrame[]): string[] => frames.map(({ type }) => type);

describe("TurnFrames", () => {
	it("start a block when the kind of text changes, and let it grow", () => {
		const { frames } = play([
			{ type: "reasoning", text: "hm" },
			{ type: "text", text: "I " },
			{ type: "text", text: "see" },
		]);
		expect(types(frames)).to.deep.equal([
			"message_start",
			"content_block_start",
			"content_block_delta",
			"content_block_stop",
			"content_block_start",
			"content_block_delta",
			"content_block_delta",
		]);
		expect(frames.slice(4)).to.deep.equal([
			{ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
			{ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "I " } },
			{ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "see" } },
		]);
		expect(frames[2]).to.deep.include({ index: 0, delta: { type: "thinking_delta", thinking: "hm" } });
	});

	it("show a tool from its start over its output to its result, whose output may have come earlier", () => {
		const { frames } = play([
			{ type: "tool", id: "t", title: "ls", kind: "execute", command: "ls -l" },
			{ type: "tool", id: "t", status: "in_progress", output: "a.txt" },
			{ type: "tool", id: "t", status: "completed", exit_code: 0 },
		]);
		expect(frames.slice(1)).to.deep.equal([
			{
				type: "content_block_start",
				index: 0,
				content_block: {
					type: "tool_use",
					id: "t",
					name: "execute",
					title: "ls",
					input: { command: "ls -l" },
					status: "pending",
				},
			},
			{ type: "tool_output", tool_use_id: "t", index: 0, status: "in_progress", output: "a.txt" },
			{ type: "content_block_stop", index: 0 },
			{
				type: "user",
				message: {
					role: "user",
					content: [{ type: "tool_result", tool_use_id: "t", content: "a.txt", is_error: false, exit_code: 0 }],
				},
			},
		]);
	});

	it("number blocks like the parts of the turn, with anything in between", () => {
		const { turn, frames } = play([
			{ type: "text", text: "a" },
			{ type: "tool", id: "t", title: "one" },
			{ type: "tool", id: "t", status: "in_progress" },
			{ type: "plan", entries: [] },
			{ type: "text", text: "b" },
			{ type: "plan", entries: [{ content: "x", status: "pending", priority: "low" }] },
			{ type: "text", text: "c" },
			{ type: "tool", id: "t", status: "failed" },
			{ type: "text", text: "d" },
			{ type: "tool", id: "late", status: "completed" },
			{ type: "reasoning", text: "e" },
		]);
		const started = frames.filter(({ type }) => type === "content_block_start").map(({ index }) => index);
		expect(started).to.deep.equal([0, 1, 3, 4, 5]);
		expect(turn.parts.map(({ type }) => type)).to.deep.equal(["text", "tool", "plan", "text", "tool", "reasoning"]);
	});

	it("end with a cut result, in a fence if the answer had one", () => {
		const lines = "# no heading\n".repeat(10_000);
		const { turn, of } = play([{ type: "text", text: `${fencedOutput(lines)}exit code 3` }]);
		const result = of.ended(turn.finish("end_turn"), 1).at(-1)?.["result"];
		expect(result).to.match(/^```\n[^`]{65000,}# no heading\n```\nexit code 3$/);
	});

	it("end with the open blocks, the complete message, and its result", () => {
		const { turn, of } = play([
			{ type: "tool", id: "t", title: "endless" },
			{ type: "text", text: "so far" },
		]);
		const tokens = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
		const ended = of.ended(turn.finish("interrupted", "It went away"), 3, { tokens, cost: 0.25 });
		expect(types(ended)).to.deep.equal([
			"content_block_stop",
			"content_block_stop",
			"message_stop",
			"assistant",
			"result",
		]);
		expect(ended.at(-1)).to.deep.equal({
			type: "result",
			subtype: "error_during_execution",
			is_error: true,
			stop_reason: "interrupted",
			turn_id: turn.id,
			in_reply_to: "m1",
			num_turns: 3,
			result: "so far",
			usage: {
				input_tokens: 1,
				output_tokens: 2,
				cache_read_input_tokens: 3,
				cache_creation_input_tokens: 4,
			},
			total_cost_usd: 0.25,
			error: "It went away",
		});
	});

	it("omit an unknown cost", () => {
		const { turn, of } = play([]);
		const tokens = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
		const result = of.ended(turn.finish("end_turn"), 1, { tokens, cost: undefined }).at(-1);
		expect(result).to.have.property("usage");
		expect(result).to.not.have.property("total_cost_usd");
	});

	it("send a late client everything that fits", () => {
		const { turn, of } = play([
			{ type: "text", text: "early" },
			{ type: "tool", id: "t", title: "ls", status: "in_progress" },
			{ type: "text", text: "x".repeat(100_000) },
		]);
		const missed = of.missed(turn);
		expect(missed[0]).to.deep.include({ type: "message_start", in_reply_to: "m1", truncated: false });
		expect(missed.slice(1).map(({ index }) => index)).to.deep.equal([0, 1, 2]);
		expect(missed[2]).to.have.nested.property("content_block.id", "t");
		for (let n = 0; n < 40; n++) {
			const type = n % 2 === 0 ? "reasoning" : "text";
			turn.apply({ type, text: "\n".repeat(60_000) });
			of.updated({ type, text: "\n".repeat(60_000) });
		}
		const later = of.missed(turn);
		expect(later[0]).to.include({ truncated: true });
		expect(JSON.stringify(later).length).to.be.within(100_000, 800_000);
	});

	it("keep every frame small for any amount of text", () => {
		const { frames, of, turn } = play([
			{ type: "text", text: "\u0000".repeat(900_000) },
			{ type: "tool", id: "t", status: "in_progress", output: "\u0000".repeat(900_000) },
			{ type: "tool", id: "t", status: "completed", output: "\u0000".repeat(900_000) },
		]);
		const all = [...frames, ...of.ended(turn.finish("end_turn"), 1)];
		expect(Math.max(...all.map((frame) => JSON.stringify(frame).length))).to.be.below(1_048_576);
	});
});
