/** The ledger: one document for each report of usage, or correction. It outlives its session. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import { holdId, type Spending } from "../record/account.ts";
import type { Booking } from "../record/session-budget.ts";

/** The id follows from session and report id, so that no report gets in twice. The text is the answer to the report. */
export const ledgerCollection = defineCollection(
	"usage_ledger",
	{
		tenant: "text",
		owner: "text",
		session: "text",
		/** Numbers the rows of a tenant without gaps: accounts remember the newest one they know. */
		seq: "integer",
		/** Milliseconds since 1970. */
		at: "integer",
		/** UTC, e.g. `2026-11-21`. */
		day: "text",
		report_id: "text",
		/** Of the report. */
		fingerprint: "text",
		launch: "integer",
		/** As in `recordSources`, or `correction`. */
		source: "text",
		/** cloud or local. */
		provider: "text",
		model: "text",
		reservation: "text",
		messages: "integer",
		tokens: "integer",
		/** The four buckets; all in `input_tokens` when the report did not say. */
		input_tokens: "integer",
		output_tokens: "integer",
		cache_read_tokens: "integer",
		cache_write_tokens: "integer",
		/** Cost; absent when nobody knows it. */
		micros: "integer",
		/** Cost as the reporter believes. */
		reported_micros: "integer",
		price_version: "text",
		/** When it was written, until every account has it. */
		pending_at: "integer",
	},
	{
		by_seq: { columns: ["tenant", "seq"], unique: true },
		of_session: { columns: ["session", "seq"] },
		of_owner: { columns: ["tenant", "owner", "day", "seq"] },
		of_tenant: { columns: ["tenant", "day", "seq"] },
		pending: { columns: ["pending_at"] },
	},
);

export type LedgerRow = Document<(typeof ledgerCollection)["columns"]>;

/** Whether it is money: what users say of their own sessions is not, or they could use up the budget of others. */
export function isMoney({ source }: LedgerRow): boolean {
	return source !== "user";
}

export function spendingOf(row: LedgerRow): Spending {
	const { seq = 0, at = 0, micros = 0, session = "", reservation } = row;
	if (!isMoney(row)) return { seq, at, micros: 0, hold: undefined };
	return { seq, at, micros, hold: reservation === undefined ? undefined : holdId(session, reservation) };
}

export function bookingOf(row: LedgerRow): Booking {
	const { tokens = 0, messages = 0, at = 0, source } = row;
	return { spending: spendingOf(row), tokens, messages, usedAt: source === "correction" ? undefined : at };
}
