/** The collections of the event log: one document per event, numbered without gaps. */
import { defineCollection } from "../collection.ts";

/**
 * The events. The id is `<collection>:<document>:<n>`, so that a relay stores no event twice, or the number of the event when the
 * store has entered it itself.
 */
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
		/** The bytes of the payload. */
		bytes: "integer",
	},
	{ by_seq: { columns: ["seq"], unique: true }, counted: { columns: ["counted_seq"] } },
	{ isReadDurably: true },
);

/** The name of the log, in one document with the id `log`. A new log, e.g. after a restore, has another epoch. */
export const eventLogNameCollection = defineCollection("event_log_name", { epoch: "text" }, {});

/** The readers of old entries, by their names: up to which number they have read, in which log, and when they said so. */
export const eventLogReaderCollection = defineCollection(
	"event_log_readers",
	{ epoch: "text", seq: "integer", at: "integer" },
	{ by_time: { columns: ["at"] } },
);
