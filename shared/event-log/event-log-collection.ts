/** How the event log is stored: one document an event, numbered without gaps. */
import { defineCollection } from "#shared/store/collection.ts";

/** The id is `<collection>:<document>:<n>`, so that no event gets in twice. */
export const eventLogCollection = defineCollection(
	"event_log",
	{
		seq: "integer",
		type: "text",
		tenant: "text",
		owner: "text",
		at: "integer",
		/** `seq` of an event that has counters. */
		counted_seq: "integer",
		counters: "json",
	},
	{ by_seq: { columns: ["seq"], unique: true }, counted: { columns: ["counted_seq"] } },
);

/** One document, `log`: what names this log. A new log, e.g. after a restore, has another epoch. */
export const eventLogNameCollection = defineCollection("event_log_name", { epoch: "text" }, {});
