import { expect } from "chai";
import fc from "fast-check";
import { jsonBytes } from "#shared/base/answer-size.ts";
import { dropOutputs, fitTurn, historyPage } from "#shared/wire/pod/conversation-history.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";

function turn(id: string, content: string, parts: unknown[] = []): ConversationTurn {
	return { id, role: "user", content, parts, created_at: "2026-11-20T20:00:00.000Z", metadata: {} };
}

const turns = ["a", "b", "c", "d"].map((id) => turn(id, id.repeat(100)));
const size = jsonBytes(turns[0]) + 1;
const ids = (page: ReturnType<typeof historyPage>): string[] => page.turns.map(({ id }) => id);

describe("historyPage()", () => {
	it("returns everything that fits", () => {
		expect(historyPage(turns)).to.deep.equal({ turns, truncated: false });
		expect(historyPage([])).to.deep.equal({ turns: [], truncated: false });
	});

	it("returns the newest turns that fit, and then the older ones", () => {
		const newest = historyPage(turns, undefined, 2 * size);
		expect([ids(newest), newest.truncated]).to.deep.equal([["c", "d"], true]);
		const older = historyPage(turns, "c", 2 * size);
		expect([ids(older), older.truncated]).to.deep.equal([["a", "b"], false]);
	});

	it("has nothing before the first turn and before an unknown one", () => {
		for (const before of ["a", "unknown"]) {
			expect(historyPage(turns, before)).to.deep.equal({ turns: [], truncated: false });
		}
	});

	it("cuts a turn that does not fit alone, with a mark", () => {
		const page = historyPage([turn("small", "x"), turn("large", "x".repeat(5_000))], undefined, 1_000);
		expect([ids(page), page.truncated, page.turns[0]?.metadata]).to.deep.equal([["large"], true, { cut: true }]);
		expect(jsonBytes(page.turns)).to.be.at.most(1_002);
	});
});

describe("fitTurn()", () => {
	const text = fc.string({ unit: fc.constantFrom("a", "\u0001", "€", '"'), maxLength: 2_000 });
	const part = fc.record({ type: fc.constant("tool"), title: text, output: text });

	it("always fits", () => {
		fc.assert(
			fc.property(
				text,
				fc.array(part, { maxLength: 30 }),
				fc.integer({ min: 600, max: 20_000 }),
				(content, parts, limit) => {
					expect(jsonBytes(fitTurn(turn("id", content, parts), limit))).to.be.at.most(limit);
				},
			),
		);
	});

	it("does not change a turn that fits, and keeps text rather than the output of tools", () => {
		const small = turn("id", "x", [{ type: "tool", output: "y" }]);
		expect(fitTurn(small, 10_000)).to.equal(small);
		const cut = fitTurn(turn("id", "x".repeat(1_000), [{ type: "tool", output: "y".repeat(9_000) }]), 4_000);
		expect(cut.content).to.equal("x".repeat(1_000));
		expect(JSON.stringify(cut.parts)).to.contain("… cut …");
	});
});

describe("dropOutputs()", () => {
	it("removes the output of tools, with a mark", () => {
		const tool = { type: "tool", title: "run", output: "long", exit_code: 1 };
		const full = turn("a", "text", [{ type: "text", text: "text" }, tool]);
		const { output: _, ...rest } = tool;
		expect(dropOutputs(full).parts).to.deep.equal([
			{ type: "text", text: "text" },
			{ ...rest, output_dropped: true },
		]);
		expect(dropOutputs(dropOutputs(full))).to.deep.equal(dropOutputs(full));
		const bare = turn("b", "text");
		expect(dropOutputs(bare)).to.equal(bare);
	});
});
