/** The collection of raw events of sessions: one document per event. */
import { defineCollection } from "#shared/store/collection.ts";

export const sessionEventCollection = defineCollection(
	"session_events",
	{ session: "text", event_type: "text", sequence: "integer" },
	{
		in_order: { columns: ["session", "sequence"] },
		by_type: { columns: ["session", "event_type", "sequence"] },
	},
);
