/** The collection of counts of sessions. */
import { defineCollection } from "#shared/store/collection.ts";

/**
 * The id is the JSON list of the tenant and, for a user, the user's name. The document `position` has the number of the
 * event up to which all others are counted.
 */
export const sessionCountCollection = defineCollection(
	"session_counts",
	{ applied: "integer", sessions: "integer", running_sessions: "integer" },
	{},
);
