/** How the accounts of a day are stored. */
import { defineCollection } from "#shared/store/collection.ts";
import { accountColumns } from "../record/account.ts";

/** The id is the JSON list of tenant, owner where there is one, and day. */
export const dayAccountCollection = defineCollection(
	"day_accounts",
	{
		...accountColumns,
		/** Grows with every change. */
		rev: "integer",
		local_tokens: "integer",
		cloud_tokens: "integer",
	},
	{},
);
