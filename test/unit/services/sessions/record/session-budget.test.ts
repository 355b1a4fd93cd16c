import { expect } from "chai";
import fc from "fast-check";
import { accountOf, holdMs } from "#services/sessions/record/account.ts";
import {
	bookedChange,
	type Booking,
	budgetExceeded,
	holdChange,
	limitChange,
	pauseChange,
	releaseChange,
	resumeChange,
} from "#services/sessions/record/session-budget.ts";
import { both, enter, type SessionRecord } from "#services/sessions/record/session-change.ts";
import type { BudgetReason } from "#shared/contracts/sessions/session-resource.ts";
import {
	changed,
	createdAt as at,
	fits,
	type RecordOrder,
	sessionCreate,
	sessionRecord,
} from "../../../../support/platform/session-record.ts";

const exceeded: BudgetReason = {
	code: budgetExceeded,
	message: "The budget of the session is used up",
	scope: "session",
};
const dayExceeded: BudgetReason = { code: budgetExceeded, message: "The budget of the day is used up", scope: "user" };

/** A session with a limit of so many dollars. */
function limited(limit: number | null, order: RecordOrder = {}): SessionRecord {
	return sessionRecord({ ...order, order: { request: sessionCreate({ budget: { limit } }) } });
}

function booking(seq: number, micros: number, more: Partial<Booking> & { hold?: string } = {}): Booking {
	const { hold, ...rest } = more;
	return { spending: { seq, at, micros, hold }, tokens: 0, messages: 0, usedAt: undefined, ...rest };
}

function held(record: SessionRecord, id: string, next: number, when = at): SessionRecord {
	return changed(record, holdChange(record, { id, used: 0, next }, when).change);
}

function paused(record: SessionRecord, reason = exceeded): SessionRecord {
	return changed(record, pauseChange(record, reason, at) ?? expect.fail("a running session can be paused"));
}

describe("bookedChange()", () => {
	it("adds cost, tokens and messages, and shows the cost in dollars", () => {
		const rows = [booking(1, 1_500_000, { tokens: 10, messages: 1 }), booking(2, 250_000, { tokens: 5, messages: 2 })];
		const used = sessionRecord({ members: { tokens_used: 100, message_count: 10 } });
		const { session, document } = changed(used, bookedChange(used, rows, at));
		expect(session).to.deep.include({ tokens_used: 115, message_count: 13 });
		expect(session.budget).to.deep.include({ spent: 1.75, reserved: 0 });
		expect(document).to.include({ booked: 2, spent_micros: 1_750_000, committed_micros: 1_750_000 });
	});

	it("moves the last use forward, never back, and not for a correction", () => {
		const record = sessionRecord();
		const later = (usedAt: number | undefined) =>
			changed(record, bookedChange(record, [booking(1, 0, { usedAt })], at)).session.last_active;
		expect(later(at + 1_000)).to.equal("2026-01-01T00:00:01.000Z");
		expect(later(at - 1_000)).to.equal(record.session.last_active);
		expect(later(undefined)).to.equal(record.session.last_active);
	});

	it("takes the cost from the hold it was reserved under", () => {
		const record = held(limited(1), "x", 400_000);
		const { session } = changed(record, bookedChange(record, [booking(1, 300_000, { hold: "x" })], at));
		expect(session.budget).to.deep.include({ spent: 0.3, reserved: 0.1 });
	});
});

describe("holdChange()", () => {
	it("asks the store for exactly what is missing", () => {
		const record = limited(1);
		const first = holdChange(record, { id: "x", used: 0, next: 300_000 }, at);
		expect(first.by).to.equal(300_000);
		expect(first.change.fits).to.deep.equal({ column: "committed_micros", plus: 300_000, limit: "limit_micros" });
		const after = changed(record, first.change);
		expect(after.session.budget).to.deep.include({ spent: 0, reserved: 0.3 });
		expect(holdChange(after, { id: "x", used: 0, next: 300_000 }, at)).to.deep.include({ by: 0 });
		expect(holdChange(after, { id: "x", used: 0, next: 500_000 }, at).by).to.equal(200_000);
		expect(holdChange(after, { id: "y", used: 0, next: 300_000 }, at).by, "another hold").to.equal(300_000);
	});

	it("has no bound when nothing is missing, so that a repeat never fails", () => {
		const record = held(limited(1), "x", 300_000);
		expect(holdChange(record, { id: "x", used: 0, next: 300_000 }, at).change.fits).to.equal(undefined);
	});

	it("counts holds whose time is over as room", () => {
		const record = held(limited(1), "x", 900_000);
		const { change } = holdChange(record, { id: "y", used: 0, next: 900_000 }, at + holdMs);
		expect(change.fits?.plus).to.equal(0);
		expect(changed(record, change).session.budget.reserved).to.equal(0.9);
	});

	it("ends a pause, with its reason", () => {
		const { session } = held(paused(limited(1)), "x", 10_000);
		expect(session.budget).to.deep.include({ paused: false, reason: null });
		expect(session.status_reason?.code).to.equal("POD_READY");
	});
});

describe("releaseChange()", () => {
	it("returns a hold completely or in part", () => {
		const record = held(held(limited(1), "x", 300_000), "y", 200_000);
		const without = (by?: number) => {
			const change = releaseChange(record, "x", at, by) ?? expect.fail("there is a hold");
			return changed(record, change).session.budget.reserved;
		};
		expect(without()).to.equal(0.2);
		expect(without(100_000)).to.equal(0.4);
	});

	it("changes nothing when there is no such hold", () => {
		expect(releaseChange(held(limited(1), "x", 1), "y", at)).to.equal(undefined);
		expect(releaseChange(limited(1), "x", at)).to.equal(undefined);
	});
});

describe("pauseChange() and resumeChange()", () => {
	it("pause a running session and say why", () => {
		const { session } = paused(limited(1));
		expect(session.budget).to.deep.include({ paused: true, reason: exceeded });
		expect(session.status_reason).to.deep.include({ code: budgetExceeded, message: exceeded.message, deadline: null });
	});

	it("change nothing without an effect", () => {
		expect(pauseChange(paused(limited(1)), exceeded, at)).to.equal(undefined);
		expect(resumeChange(limited(1), at)).to.equal(undefined);
	});

	it("show a newer reason of a session that is paused already", () => {
		expect(paused(paused(limited(1)), dayExceeded).session.budget.reason).to.deep.equal(dayExceeded);
	});

	it("pause no session that does not run", () => {
		for (const status of ["created", "stopping", "stopped", "failed", "archived"] as const)
			expect(pauseChange(limited(1, { status }), exceeded, at), status).to.equal(undefined);
	});

	it("leave the reason of a launch under way, and show the pause when it runs", () => {
		const starting = paused(limited(1, { status: "starting", members: { status_reason: null } }));
		expect(starting.session.budget.paused).to.equal(true);
		expect(starting.session.status_reason).to.equal(null);
		const running = changed(starting, { at, ...enter("running", at), event: "session_updated" });
		expect(running.session.status_reason?.code).to.equal(budgetExceeded);
	});

	it("are undone by each other", () => {
		const record = paused(limited(1));
		const resumed = changed(record, resumeChange(record, at) ?? expect.fail("it is paused"));
		expect(resumed.session.budget).to.deep.equal(limited(1).session.budget);
		expect(resumed.session.status_reason?.code).to.equal("POD_READY");
	});
});

describe("limitChange()", () => {
	function withLimit(record: SessionRecord, limit: number | null): SessionRecord {
		const { members, columns } = limitChange(record, limit, at);
		return changed(record, { at, members, columns, event: "session_updated" });
	}

	it("sets the limit in dollars and in micro-dollars, and removes it", () => {
		const raised = withLimit(held(limited(1), "x", 100_000), 2.5);
		expect(raised.session.budget).to.deep.include({ limit: 2.5, reserved: 0.1 });
		expect(raised.document).to.include({ limit_micros: 2_500_000, committed_micros: 100_000 });
		const removed = withLimit(raised, null);
		expect(removed.session.budget.limit).to.equal(null);
		expect(removed.document).not.to.have.property("limit_micros");
	});

	it("gives a session that had no limit an account that the store can compare", () => {
		const { document } = withLimit(sessionRecord(), 1);
		expect(document).to.include({ limit_micros: 1_000_000, committed_micros: 0 });
	});

	it("ends a pause by the limit of the session, and none by another one", () => {
		expect(withLimit(paused(limited(1)), 2).session.budget).to.deep.include({ paused: false, reason: null });
		const byDay = withLimit(paused(limited(1), dayExceeded), 2).session;
		expect(byDay.budget).to.deep.include({ paused: true, reason: dayExceeded });
		expect(byDay.status_reason?.code).to.equal(budgetExceeded);
	});
});

describe("the rules of a budget", () => {
	it("release the holds and the pause of a session that stops", () => {
		const record = held(paused(held(limited(1), "x", 100_000)), "y", 100_000);
		for (const status of ["stopping", "failed", "archived"] as const) {
			const ended = changed(paused(record), { at, ...enter(status, at), event: "session_updated" });
			expect(ended.session.budget, status).to.deep.include({ paused: false, reason: null, reserved: 0 });
			expect(accountOf(ended.document).holds, status).to.deep.equal([]);
		}
	});

	const micros = fc.integer({ min: 0, max: 400_000 });
	const hold = fc.constantFrom("x", "y", "z");
	type Step = (record: SessionRecord, seq: number) => SessionRecord;

	/** A hold is made if it fits, as the store would decide. */
	const step: fc.Arbitrary<Step> = fc.oneof(
		fc.tuple(hold, micros, fc.nat(2 * holdMs)).map(
			([id, next, ms]): Step =>
				(record) => {
					const { change } = holdChange(record, { id, used: 0, next }, at + ms);
					return fits(record, change) ? changed(record, change) : record;
				},
		),
		fc.tuple(hold, micros).map(
			([id, cost]): Step =>
				(record, seq) => {
					// A call costs no more than what is held for it.
					const room = accountOf(record.document).holds.find((one) => one.id === id)?.micros ?? 0;
					const row = booking(seq, Math.min(cost, room), { hold: id });
					return changed(record, bookedChange(record, [row], at));
				},
		),
		hold.map(
			(id): Step =>
				(record) => {
					const change = releaseChange(record, id, at);
					return change ? changed(record, change) : record;
				},
		),
		fc.constantFrom(exceeded, dayExceeded).map(
			(reason): Step =>
				(record) => {
					const change = pauseChange(record, reason, at);
					return change ? changed(record, change) : record;
				},
		),
		fc.constant<Step>((record) => {
			const change = resumeChange(record, at);
			return change ? changed(record, change) : record;
		}),
		fc.constantFrom("stopping", "running", "failed").map(
			(status): Step =>
				(record) => {
					const { members, columns } = enter(status, at);
					return changed(record, { at, members, columns: both({}, columns), event: "session_updated" });
				},
		),
	);

	it("hold after any changes: nothing is negative, sums agree, no limit is passed, and only a running session is paused", () => {
		const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
			let seq = 0;
			const { session, document } = steps.reduce((record, next) => next(record, ++seq), limited(1));
			const { spent, committed, holds } = accountOf(document);
			expect(Math.min(spent, ...holds.map((one) => one.micros))).to.be.at.least(0);
			expect(committed).to.equal(spent + holds.reduce((sum, one) => sum + one.micros, 0));
			expect(committed).to.be.at.most(1_000_000);
			expect(session.budget.spent * 1e6).to.be.closeTo(spent, 1e-3);
			expect(session.budget.reserved * 1e6).to.be.closeTo(committed - spent, 1e-3);
			expect(session.budget.paused).to.equal(session.budget.reason !== null);
			if (session.status !== "running") expect([session.budget.paused, holds.length]).to.deep.equal([false, 0]);
			else if (session.budget.paused) expect(session.status_reason?.code).to.equal(budgetExceeded);
			else expect(session.status_reason?.code).not.to.equal(budgetExceeded);
		});
		fc.assert(property, { numRuns: 200 });
	});
});
