/** Computes the changes of a session by usage, reservations and limits. Pure. */
import { isoTime } from "#shared/base/clock.ts";
import type { BudgetReason, Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ReasonCode } from "#shared/contracts/sessions/status-reasons.ts";
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
	withHolds,
	withoutEnded,
	withSpendings,
} from "./account.ts";
import { dollarsOf, microsOf } from "#shared/wire/models/money.ts";

export const budgetExceeded = "BUDGET_EXCEEDED" satisfies ReasonCode;

/** The part of a ledger row that changes its session. */
export interface Booking {
	readonly spending: Spending;
	readonly tokens: number;
	readonly messages: number;
	/** The time of the usage in milliseconds since 1970; undefined when the row is no usage. */
	readonly usedAt: number | undefined;
}

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

/** Raises the hold of a turn, which ends a pause. @param by The amount by which the hold is raised. */
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

/** Releases a hold or a part of it; undefined when there is none. */
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

/** Pauses the session, so that no turn begins; undefined when it is paused for this reason already. */
export function pauseChange({ session }: SessionRecord, reason: BudgetReason, at: number): SessionChange | undefined {
	if (desiredOf(session.status) !== "run" || session.budget.reason?.message === reason.message) return undefined;
	const status_reason = session.status === "running" ? pausedReason(reason, at) : session.status_reason;
	return updated(at, {}, { status_reason, budget: { ...session.budget, paused: true, reason } });
}

/** Ends a pause; undefined when there is none. */
export function resumeChange({ session }: SessionRecord, at: number): SessionChange | undefined {
	if (!session.budget.paused) return undefined;
	return updated(at, {}, { ...resumed(session, at), budget: goingOn(session).budget });
}

/**
 * Returns the members and columns of a session with another limit. Its agent itself finds out whether the limit
 * suffices.
 */
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
 * Applies the rules that hold after every change: the pause is the status reason of a running session, and a session
 * that does not run is not paused and holds nothing.
 */
export function withBudgetRules(
	after: Session,
	{ document }: SessionRecord,
	{ at, columns }: SessionChange,
): { session: Session; columns: ColumnChange } {
	const { budget, status, status_reason } = after;
	if (desiredOf(status) === "run") {
		const isShown = status !== "running" || !budget.reason || status_reason?.code === budgetExceeded;
		if (isShown || !budget.reason) return { session: after, columns };
		return { session: { ...after, status_reason: pausedReason(budget.reason, at) }, columns };
	}
	const account = accountOf({ ...document, ...columns.set });
	if (!budget.paused && account.holds.length === 0) return { session: after, columns };
	const free = withHolds(account, []);
	return {
		session: { ...after, budget: budgetWith(goingOn(after), free) },
		columns: { ...columns, set: { ...columns.set, ...columnsOf(free) } },
	};
}

function updated(at: number, set: ColumnChange["set"] & {}, members: Partial<Session>): SessionChange {
	return { at, members, columns: { set } };
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
