/** How the limits are stored that an administrator has said. */
import { defineCollection } from "#shared/store/collection.ts";

/** The id is the JSON list of tenant and, of a user, name; without `limit_micros` there is no limit. */
export const budgetLimitCollection = defineCollection("budget_limits", { limit_micros: "integer" }, {});
