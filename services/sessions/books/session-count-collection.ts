/** How the numbers of sessions are stored. */
import { defineCollection } from "#shared/store/collection.ts";

/** The id is the JSON list of tenant and, of a user, name; or `position`: up to where all others are. */
export const sessionCountCollection = defineCollection(
	"session_counts",
	{ applied: "integer", sessions: "integer", running_sessions: "integer" },
	{},
);
