import { expect } from "chai";
import { bookingOf, isMoney, type LedgerRow, spendingOf } from "#services/sessions/books/ledger-collection.ts";

/** The report of a pod on 40 tokens for 700 micro-dollars. */
function row(more: Partial<LedgerRow> = {}): LedgerRow {
	const said = { seq: 3, at: 1_000, session: "s", tokens: 40, messages: 1, micros: 700, source: "agent" };
	return { id: "r", wire: "{}", ...said, ...more };
}

describe("a row of the ledger", () => {
	it("is money unless a user reported it", () => {
		for (const source of ["agent", "correction"]) expect(isMoney(row({ source })), source).to.equal(true);
		expect(isMoney(row({ source: "user" }))).to.equal(false);
	});

	it("takes its cost from the hold of its own session", () => {
		expect(spendingOf(row())).to.deep.equal({ seq: 3, at: 1_000, micros: 700, hold: undefined });
		expect(spendingOf(row({ reservation: "x" })).hold).to.equal("s:x");
		expect(spendingOf(row({ session: "other", reservation: "x" })).hold).to.equal("other:x");
	});

	it("costs nothing and changes no hold when a user reported it, and is counted", () => {
		const said = row({ source: "user", reservation: "x" });
		expect(spendingOf(said)).to.deep.equal({ seq: 3, at: 1_000, micros: 0, hold: undefined });
		expect(bookingOf(said)).to.include({ tokens: 40, messages: 1, usedAt: 1_000 });
	});

	it("costs nothing when its cost is unknown", () => {
		const { micros: _unknown, ...without } = row();
		expect(spendingOf(without).micros).to.equal(0);
	});

	it("is no use of the session when it is a correction, which may be negative", () => {
		const correction = row({ source: "correction", micros: -700 });
		expect(bookingOf(correction)).to.deep.include({ usedAt: undefined });
		expect(spendingOf(correction).micros).to.equal(-700);
	});
});
