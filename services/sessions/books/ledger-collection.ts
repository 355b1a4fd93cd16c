/** The collection of the ledger: one document per report of usage or correction. Rows outlive their session. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import { holdId, type Spending } from "../record/account.ts";
import type { Booking } from "../record/session-budget.ts";

/**
 * The id is derived from the session and the report id, so that no report is stored twice. The text is the answer to
 * the report.
 */
export const ledgerCollection = defineCollection(
	"usage_ledger",
	{
		tenant: "text",
		owner: "text",
		session: "text",
		/** The number of the row among those of its tenant, without gaps; accounts store the newest number they have booked. */
		seq: "integer",
		/** The time of the row in milliseconds since 1970. */
		at: "integer",
		/** The day in UTC, e.g. `2026-11-21`. */
		day: "text",
		report_id: "text",
		fingerprint: "text",
		launch: "integer",
		/** One of `recordSources`, or `correction`. */
		source: "text",
		/** The location of the model: cloud or local. */
		provider: "text",
		model: "text",
		reservation: "text",
		messages: "integer",
		tokens: "integer",
		/** The four buckets of tokens; all tokens are in `input_tokens` when the report had no buckets. */
		input_tokens: "integer",
		output_tokens: "integer",
		cache_read_tokens: "integer",
		cache_write_tokens: "integer",
		/** The cost; absent when it is unknown. */
		micros: "integer",
		reported_micros: "integer",
		price_version: "text",
		/** The time of the write, until every account has booked the row. */
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

/** The columns that accounts book. Reading all of them costs twice as much. */
export const bookedColumns = [
	"seq",
	"at",
	"session",
	"source",
	"provider",
	"reservation",
	"messages",
	"tokens",
	"micros",
] as const;

/**
 * Whether the row counts as money. Reports of users on their own sessions do not, or they could use up the budgets of
 * others.
 */
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
