/** The collections of the books beside the ledger (ledger-collection.ts). */
import { defineCollection } from "#shared/store/collection.ts";
import { accountColumns } from "../record/account.ts";

/**
 * The limits that administrators have set. The id is the JSON list of the tenant and, for a user, the user's name; without
 * `limit_micros` there is no limit.
 */
export const budgetLimitCollection = defineCollection(
	"budget_limits",
	{ limit_micros: "integer", rev: "integer" },
	{},
	{ audited: ["limit_micros"] },
);

/**
 * The accounts of users and tenants, one document per day. The id is the JSON list of the tenant, the owner if there is
 * one, and the day.
 */
export const dayAccountCollection = defineCollection(
	"day_accounts",
	{
		...accountColumns,
		/** The revision, which grows with every change. */
		rev: "integer",
		local_tokens: "integer",
		cloud_tokens: "integer",
		/** Reported cost of a tenant that no reservation has covered; it does not count towards the tenant's limit. */
		unreserved_micros: "integer",
	},
	{},
);

/**
 * The holds of an account that has many, beyond those in its own document (parked-holds.ts). The id is that of the
 * account and of the hold.
 */
export const dayHoldCollection = defineCollection(
	"day_holds",
	{
		account: "text",
		hold: "text",
		/** Distinguishes the sums of the account that it may be part of. */
		era: "integer",
		/** The revision of the account with this state of the hold. */
		n: "integer",
		micros: "integer",
		settled: "integer",
		/** The time at which the hold ends by itself, in milliseconds since 1970; that of the write when it has ended. */
		until: "integer",
		/** The same time; absent when the hold has ended. */
		ends_at: "integer",
	},
	{
		of_account: { columns: ["account", "ends_at"] },
		/** Ids of holds begin with that of their session. */
		of_session: { columns: ["account", "hold"] },
		old: { columns: ["until"] },
	},
);

/**
 * The counts of sessions. The id is the JSON list of the tenant and, for a user, the user's name. The document `position`
 * has the number of the event up to which all others are counted.
 */
export const sessionCountCollection = defineCollection(
	"session_counts",
	{ applied: "integer", sessions: "integer", running_sessions: "integer" },
	{ by_applied: { columns: ["applied"] } },
);
