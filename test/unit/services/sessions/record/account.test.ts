import { expect } from "chai";
import fc from "fast-check";
import {
	type Account,
	accountOf,
	columnsOf,
	heldBy,
	holdMs,
	lowered,
	missing,
	raised,
	withoutEnded,
	withHolds,
	withSpendings,
} from "#services/sessions/record/account.ts";

const empty: Account = { booked: 0, spent: 0, committed: 0, holds: [] };

type Step = (account: Account) => Account;

const id = fc.constantFrom("a", "b", "c");
const micros = fc.integer({ min: 0, max: 1_000_000 });

/** Any changes of an account, in any order. */
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.tuple(id, micros, micros).map(
		([hold, by, at]) =>
			(account: Account) =>
				raised(account, hold, by, at),
	),
	fc.tuple(id, micros).map(
		([hold, by]) =>
			(account: Account) =>
				lowered(account, hold, Math.min(by, heldBy(account, hold))),
	),
	id.map((hold) => (account: Account) => lowered(account, hold)),
	fc.integer({ min: 0, max: 2 * holdMs }).map((at) => (account: Account) => withoutEnded(account, at)),
	fc.tuple(fc.option(id, { nil: undefined }), micros, micros).map(
		([hold, cost, at]) =>
			(account: Account) =>
				withSpendings(account, [{ seq: account.booked + 1, at, micros: cost, hold }]),
	),
);

describe("an account", () => {
	it("has committed the sum of what is spent and held after any changes", () => {
		const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
			const { spent, committed, holds } = steps.reduce((account, next) => next(account), empty);
			expect(committed).to.equal(spent + holds.reduce((sum, hold) => sum + hold.micros, 0));
			expect(Math.min(spent, ...holds.map((hold) => hold.micros))).to.be.at.least(0);
		});
		fc.assert(property, { numRuns: 500 });
	});

	it("never spends what it holds twice: what a turn reports leaves its hold first", () => {
		const held = raised(empty, "a", 100, 0);
		const cheap = withSpendings(held, [{ seq: 1, at: 0, micros: 30, hold: "a" }]);
		expect(cheap).to.include({ spent: 30, committed: 100, booked: 1 });
		const dear = withSpendings(cheap, [{ seq: 2, at: 0, micros: 90, hold: "a" }]);
		expect(dear).to.include({ spent: 120, committed: 120, booked: 2 });
	});

	it("needs room for a turn's unreported usage and the next call", () => {
		expect(missing(empty, { id: "a", used: 0, next: 50 })).to.equal(50);
		const held = raised(empty, "a", 50, 0);
		expect(missing(held, { id: "a", used: 0, next: 50 })).to.equal(0);
		expect(missing(held, { id: "a", used: 40, next: 50 })).to.equal(40);
		const reported = withSpendings(raised(held, "a", 40, 0), [{ seq: 1, at: 0, micros: 40, hold: "a" }]);
		expect(missing(reported, { id: "a", used: 40, next: 50 })).to.equal(0);
		expect(missing(reported, { id: "b", used: 0, next: 50 })).to.equal(50);
	});

	it("expires holds, also after a clock was set back, and not those that are still used", () => {
		const held = raised(empty, "a", 50, 1_000);
		expect(withoutEnded(held, 1_000 + holdMs - 1)).to.equal(held);
		expect(withoutEnded(held, 1_000 + holdMs).committed).to.equal(0);
		expect(withoutEnded(held, 1_000 - 60_000).committed).to.equal(0);
		const booked = withSpendings(held, [{ seq: 1, at: 5_000, micros: 1, hold: "a" }]);
		expect(withoutEnded(booked, 1_000 + holdMs + 1).committed).to.equal(50);
	});

	it("keeps the holds of a process whose clock is ahead by twice what is allowed", () => {
		const held = raised(empty, "a", 50, 1_000);
		expect(withoutEnded(held, 1_000 - 4_000)).to.equal(held);
	});

	it("is read as it was written, and begins empty", () => {
		const account = raised(withSpendings(empty, [{ seq: 7, at: 0, micros: 3, hold: undefined }]), "a", 5, 9);
		expect(accountOf(columnsOf(account))).to.deep.equal(account);
		expect(accountOf({})).to.deep.equal(empty);
		expect(withHolds(account, [])).to.include({ spent: 3, committed: 3 });
	});
});
