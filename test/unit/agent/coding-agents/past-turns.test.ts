import { expect } from "chai";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { pastTurns } from "#agent/coding-agents/past-turns.ts";

function exchange(n: number, answer: string): ConversationTurn[] {
	const common = { parts: [], created_at: "2026-11-21T00:00:00.000Z" };
	return [
		{ ...common, id: `q${n}`, role: "user", content: `question ${n}`, metadata: {} },
		{ ...common, id: `a${n}`, role: "assistant", content: answer, metadata: { in_reply_to: `q${n}` } },
	];
}

describe("pastTurns()", () => {
	it("is empty before the first answer", () => {
		expect(pastTurns([])).to.equal("");
		expect(pastTurns(exchange(1, "yes").slice(0, 1))).to.equal("");
	});

	it("has the earlier turns, oldest first, without the message that waits", () => {
		const told = pastTurns([...exchange(1, "yes"), ...exchange(2, "no"), ...exchange(3, "").slice(0, 1)]);
		expect(told.split("\n\n").slice(1)).to.deep.equal(["User: question 1", "You: yes", "User: question 2", "You: no"]);
	});

	it("is bounded: long answers are cut, and the oldest are left out", () => {
		const turns = Array.from({ length: 100 }, (_, n) => exchange(n, "long ".repeat(1_000))).flat();
		const told = pastTurns(turns);
		expect(told.length).to.be.within(14_000, 16_500);
		expect(told).to.include("question 99").and.to.include("… (5000 characters)").and.to.not.include("question 1\n");
	});
});
