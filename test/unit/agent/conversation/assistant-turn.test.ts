import { expect } from "chai";
import { jsonBytes } from "#shared/base/answer-size.ts";
import { AssistantTurn } from "#agent/conversation/assistant-turn.ts";

describe("AssistantTurn", () => {
	it("joins related updates and keeps the order of the others", () => {
		const turn = new AssistantTurn("m1");
		turn.apply({ type: "reasoning", text: "hm" });
		turn.apply({ type: "text", text: "I " });
		turn.apply({ type: "text", text: "look" });
		turn.apply({ type: "tool", id: "t1", title: "ls", kind: "execute", status: "pending" });
		turn.apply({ type: "tool", id: "t1", status: "completed", output: "a.txt", exit_code: 0 });
		turn.apply({ type: "text", text: "." });
		const { content, parts, metadata, role } = turn.finish("end_turn");
		expect([role, content, metadata]).to.deep.equal([
			"assistant",
			"I look.",
			{ in_reply_to: "m1", stop_reason: "end_turn" },
		]);
		expect(parts).to.deep.equal([
			{ type: "reasoning", text: "hm" },
			{ type: "text", text: "I look" },
			{ type: "tool", title: "ls", kind: "execute", status: "completed", output: "a.txt", exit_code: 0 },
			{ type: "text", text: "." },
		]);
	});

	it("reports whether a tool runs, also one that was never announced", () => {
		const turn = new AssistantTurn("m1");
		expect(turn.isExecuting).to.equal(false);
		turn.apply({ type: "tool", id: "t1", status: "in_progress" });
		expect(turn.isExecuting).to.equal(true);
		turn.apply({ type: "tool", id: "t1", status: "failed" });
		expect(turn.isExecuting).to.equal(false);
	});

	it("returns the last 200 characters", () => {
		const turn = new AssistantTurn("m1");
		for (let piece = 0; piece < 100; piece++) turn.apply({ type: "text", text: `piece ${piece} ` });
		expect(turn.lastActivity)
			.to.have.length(200)
			.and.match(/piece 99 $/);
	});

	it("says the error when nothing else was said", () => {
		const silent = new AssistantTurn("m1").finish("error", "It broke");
		expect([silent.content, silent.metadata["error"]]).to.deep.equal(["It broke", "It broke"]);
		const turn = new AssistantTurn("m1");
		turn.apply({ type: "text", text: "so far" });
		expect(turn.finish("error", "It broke").content).to.equal("so far");
	});

	it("remains bounded for any updates", () => {
		const turn = new AssistantTurn("m1");
		for (let call = 0; call < 3_000; call++) {
			turn.apply({ type: "tool", id: `t${call}`, output: "\u0001".repeat(10_000) });
			turn.apply({ type: "text", text: "x".repeat(1_000) });
		}
		expect(jsonBytes(turn.finish("end_turn"))).to.be.at.most(640 * 1024);
	});
});
