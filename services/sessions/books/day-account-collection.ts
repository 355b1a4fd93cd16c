/** The collection of accounts of users and tenants, one document per day. */
import { defineCollection } from "#shared/store/collection.ts";
import { accountColumns } from "../record/account.ts";

/** The id is the JSON list of the tenant, the owner if there is one, and the day. */
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
