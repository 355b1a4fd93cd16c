/** What usage, reservations and limits make of a session. Pure. */
import { isoTime } from "#shared/clock.ts";
import type { BudgetReason, Session } from "#shared/contracts/session-resource.ts";
import type { ColumnChange, SessionChange, SessionRecord } from "./session-change.ts";
import { desiredOf } from "./session-lifecycle.ts";
import { reasonFor } from "./status-reason.ts";
import {
	type Account,
	accountOf,
	columnsOf,
	lowered,
	missing,
	raised,
	type Spending,
	type HoldRequest,
	withoutEnded,
	withoutHolds,
	withSpendings,
} from "./account.ts";
import { dollarsOf, microsOf } from "#shared/models/money.ts";

export const budgetExceeded = "BUDGET_EXCEEDED";

/** What a row of the ledger changes of its session. */
export interface Booking {
	readonly spending: Spending;
	readonly tokens: number;
	readonly messages: number;
	/** When the session was used; undefined when the row is no use. Milliseconds since 1970. */
	readonly usedAt: number | undefined;
}

/** Rows of the ledger come into their session. */
export function bookedChange(record: SessionRecord, bookings: readonly Booking[], at: number): SessionChange {
	const { session, document } = record;
	const spendings = bookings.map(({ spending }) => spending);
	const account = withSpendings(accountOf(document), spendings);
	const active = isoTime(Math.max(0, ...bookings.map(({ usedAt }) => usedAt ?? 0)));
	const sum = (member: "tokens" | "messages") => bookings.reduce((total, booking) => total + booking[member], 0);
	return updated(at, columnsOf(account), {
		tokens_used: session.tokens_used + sum("tokens"),
		message_count: session.message_count + sum("messages"),
		last_active: active > session.last_active ? active : session.last_active,
		budget: budgetWith(session, account),
	});
}

/** The session holds what a turn wishes, and is not paused any more; `by`: how much more it holds. */
export function holdChange(
	record: SessionRecord,
	wanted: HoldRequest,
	at: number,
): { change: SessionChange; by: number } {
	const { session, document } = record;
	const former = accountOf(document);
	const account = withoutEnded(former, at);
	const by = missing(account, wanted);
	const after = raised(account, wanted.id, by, at);
	const plus = after.committed - former.committed;
	const change = updated(at, columnsOf(after), {
		...resumed(session, at),
		budget: budgetWith(goingOn(session), after),
	});
	if (by === 0) return { change, by };
	return { by, change: { ...change, fits: { column: "committed_micros", plus, limit: "limit_micros" } } };
}

/** A hold is given back, or a part of it; undefined when there is none. */
export function releaseChange(
	{ session, document }: SessionRecord,
	hold: string,
	at: number,
	by?: number,
): SessionChange | undefined {
	const account = accountOf(document);
	if (!account.holds.some(({ id }) => id === hold)) return undefined;
	const after = lowered(account, hold, by);
	return updated(at, columnsOf(after), { budget: budgetWith(session, after) });
}

/** No turn begins any more; undefined when that is known already. */
export function pauseChange({ session }: SessionRecord, reason: BudgetReason, at: number): SessionChange | undefined {
	if (desiredOf(session.status) !== "run" || session.budget.reason?.message === reason.message) return undefined;
	const status_reason = session.status === "running" ? pausedReason(reason, at) : session.status_reason;
	return updated(at, {}, { status_reason, budget: { ...session.budget, paused: true, reason } });
}

/** Turns may begin again; undefined when they may anyway. */
export function resumeChange({ session }: SessionRecord, at: number): SessionChange | undefined {
	if (!session.budget.paused) return undefined;
	return updated(at, {}, { ...resumed(session, at), budget: goingOn(session).budget });
}

/** Members and columns of a session with another limit. Its agent finds out by itself whether that is enough. */
export function limitChange({ session, document }: SessionRecord, limit: number | null, at: number) {
	const isOurs = session.budget.reason?.scope === "session";
	const { budget } = isOurs ? goingOn(session) : session;
	const columns: ColumnChange =
		limit === null
			? { unset: ["limit_micros"] }
			: { set: { ...columnsOf(accountOf(document)), limit_micros: microsOf(limit) } };
	return { members: { ...(isOurs && resumed(session, at)), budget: { ...budget, limit } }, columns };
}

/**
 * The rules that hold after every change: a pause is the reason of a session that runs, and a session that does not run
 * is neither paused nor holds anything.
 */
export function withBudgetRules(
	after: Session,
	{ document }: SessionRecord,
	{ at, columns }: SessionChange,
): { session: Session; columns: ColumnChange } {
	const { budget, status, status_reason } = after;
	if (desiredOf(status) === "run") {
		const isTold = status !== "running" || !budget.reason || status_reason?.code === budgetExceeded;
		if (isTold || !budget.reason) return { session: after, columns };
		return { session: { ...after, status_reason: pausedReason(budget.reason, at) }, columns };
	}
	const account = accountOf({ ...document, ...columns.set });
	if (!budget.paused && account.holds.length === 0) return { session: after, columns };
	const free = withoutHolds(account);
	return {
		session: { ...after, budget: budgetWith(goingOn(after), free) },
		columns: { ...columns, set: { ...columns.set, ...columnsOf(free) } },
	};
}

function updated(at: number, set: ColumnChange["set"] & {}, members: Partial<Session>): SessionChange {
	return { at, members, columns: { set }, event: "session_updated" };
}

function budgetWith({ budget }: Session, { spent, committed }: Account): Session["budget"] {
	return { ...budget, spent: dollarsOf(spent), reserved: dollarsOf(committed - spent) };
}

function goingOn(session: Session): Session {
	return { ...session, budget: { ...session.budget, paused: false, reason: null } };
}

function resumed(session: Session, at: number): Partial<Session> {
	return session.status_reason?.code === budgetExceeded ? { status_reason: reasonFor("running", at) } : {};
}

function pausedReason({ message }: BudgetReason, at: number): Session["status_reason"] {
	return { code: budgetExceeded, message, since: isoTime(at), deadline: null };
}
