/** The collections of the event log: one document per event, numbered without gaps. */
import { defineCollection } from "#shared/store/collection.ts";

/** The events. Their id is `<collection>:<document>:<n>`, so that no event is stored twice. */
export const eventLogCollection = defineCollection(
	"event_log",
	{
		seq: "integer",
		type: "text",
		tenant: "text",
		owner: "text",
		at: "integer",
		/** The value of `seq`, only in events that have counters. */
		counted_seq: "integer",
		counters: "json",
	},
	{ by_seq: { columns: ["seq"], unique: true }, counted: { columns: ["counted_seq"] } },
);

/** The name of the log, in one document with the id `log`. A new log, e.g. after a restore, has another epoch. */
export const eventLogNameCollection = defineCollection("event_log_name", { epoch: "text" }, {});
