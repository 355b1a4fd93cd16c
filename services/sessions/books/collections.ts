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
	},
	{},
);

/**
 * The counts of sessions. The id is the JSON list of the tenant and, for a user, the user's name. The document `position`
 * has the number of the event up to which all others are counted.
 */
export const sessionCountCollection = defineCollection(
	"session_counts",
	{ applied: "integer", sessions: "integer", running_sessions: "integer" },
	{},
);
