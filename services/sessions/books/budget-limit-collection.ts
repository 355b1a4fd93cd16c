/** The collection of limits that administrators have set. */
import { defineCollection } from "#shared/store/collection.ts";

/** The id is the JSON list of the tenant and, for a user, the user's name; without `limit_micros` there is no limit. */
export const budgetLimitCollection = defineCollection("budget_limits", { limit_micros: "integer" }, {});
