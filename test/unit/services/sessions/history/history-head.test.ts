import { expect } from "chai";
import fc from "fast-check";
import { hasAcknowledged, headAfter, patchOf } from "#services/sessions/history/history-head.ts";
import type { HistoryDocument } from "#services/sessions/history/history-collections.ts";
import { type HistoryReport, historyReport } from "#shared/contracts/sessions/history.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { completed } from "../../../../support/completed.ts";

const line = { timestamp: 1, level: "INFO", message: "x" };

function report(n: number, more: Partial<HistoryReport> = {}): HistoryReport {
	return completed(historyReport, { n, ...more });
}

function head(former: HistoryDocument | undefined, launch: number, said: HistoryReport): HistoryDocument {
	return { id: "s", wire: "{}", ...former, ...headAfter(former, launch, said) };
}

describe("headAfter()", () => {
	it("counts lines and changes, report by report", () => {
		const counts = fc.array(fc.nat(5), { minLength: 1, maxLength: 20 });
		fc.assert(
			fc.property(counts, (lines) => {
				let after: HistoryDocument | undefined;
				for (const [index, count] of lines.entries())
					after = head(after, 1, report(index + 1, { logs: Array.from({ length: count }, () => line) }));
				expect(after).to.include({ rev: lines.length, lines: lines.reduce((sum, count) => sum + count, 0) });
				expect(after && hasAcknowledged(after, { launch: 1, n: lines.length })).to.equal(true);
				expect(after && hasAcknowledged(after, { launch: 1, n: lines.length + 1 })).to.equal(false);
			}),
		);
	});

	it("measures turns in bytes of JSON lines", () => {
		const turn: ConversationTurn = {
			id: "t",
			role: "user",
			content: "é",
			parts: [],
			created_at: "2026-01-01T00:00:00.000Z",
			metadata: {},
		};
		expect(head(undefined, 1, report(1, { turns: [turn, turn] }))).to.include({
			turns: 2,
			// Each has a line of its own, with its end.
			turn_bytes: 2 * (Buffer.byteLength(JSON.stringify(turn)) + 1),
		});
	});

	it("replaces the patch when the last piece of the next one has arrived", () => {
		const piece = (id: string, index: number) => ({
			diff: { id, piece: index, pieces: 2, text: "", truncated: id === "b" },
		});
		const first = head(undefined, 1, report(1, piece("a", 0)));
		expect(patchOf(first, "last-commit")).to.equal(undefined);
		const whole = head(first, 1, report(2, piece("a", 1)));
		expect(patchOf(whole, "last-commit")).to.deep.equal({ id: "a", truncated: false });
		const next = head(whole, 1, report(3, piece("b", 0)));
		expect(patchOf(next, "last-commit")).to.deep.equal({ id: "a", truncated: false });
		expect(patchOf(head(next, 1, report(4, piece("b", 1))), "last-commit")).to.deep.equal({ id: "b", truncated: true });
		expect(patchOf(undefined, "last-commit")).to.equal(undefined);
	});

	it("keeps a patch for each base", () => {
		const piece = (id: string) => ({ id, piece: 0, pieces: 1, text: "", truncated: false });
		const branch = head(undefined, 1, report(1, { branch_diff: piece("b") }));
		expect(patchOf(branch, "last-commit")).to.equal(undefined);
		const both = head(head(branch, 1, report(2, { diff: piece("a") })), 1, report(3));
		expect(patchOf(both, "last-commit")).to.deep.equal({ id: "a", truncated: false });
		expect(patchOf(both, "default-branch")).to.deep.equal({ id: "b", truncated: false });
	});

	it("identifies reports by launch and number", () => {
		const after = head(head(undefined, 1, report(7)), 2, report(1));
		const known = (launch: number, n: number) => hasAcknowledged(after, { launch, n });
		expect([known(1, 7), known(1, 8), known(2, 1), known(2, 2)]).to.deep.equal([true, false, true, false]);
		expect(hasAcknowledged(undefined, { launch: 1, n: 1 })).to.equal(false);
	});
});
