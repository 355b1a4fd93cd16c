/** The contract of the ordered event log. Only its service writes to it; every gateway tails it. */
import { defineContract, defineEvent } from "./contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { count, text } from "./field-rules.ts";

const seq = count;

const entry = {
	seq,
	type: { type: "string", description: "Name of the event for clients" },
	data: { type: "string", description: "JSON text of the payload" },
	tenant: text,
	owner: {
		type: "string",
		optional: true,
		description: "Owner who may see the event; absent: everybody of the tenant may",
	},
	at: {
		type: "number",
		description: "Time of the event in milliseconds since 1970",
	},
	skipped: {
		type: "boolean",
		optional: true,
		description: "Set when the content is unknown; readers start over from the present state",
	},
} as const;
export type LogEntry = Output<typeof entry>;

export const logHead = schema({
	epoch: { type: "string", description: "Name of the log; a new log has another one" },
	seq: { ...seq, description: "Newest entry; 0 in an empty log" },
	oldest: { ...seq, description: "Oldest retained entry; 1 in an empty log" },
});
export type LogHead = Output<typeof logHead>;

export const eventLog = defineContract("event-log", {
	head: {
		access: "system",
		summary: "Epoch and bounds of the log",
		params: {},
		returns: { type: "object", props: logHead },
		idempotent: true,
	},
	read: {
		access: "system",
		summary:
			"Entries after a sequence number, in order, without gaps; may be fewer than asked for, none while a gap is mended",
		params: { after: seq, limit: { type: "number", integer: true, min: 1, max: 500 } },
		returns: { type: "array", items: { type: "object", props: entry } },
		idempotent: true,
	},
});

/** The log has new entries. Receivers also look each second, so a lost event only delays them. */
export const logAppended = defineEvent("event-log.appended", schema({ seq }));

/**
 * Events were written that the process which moves them may not know of. It also looks each second, so a lost event only
 * delays them.
 */
export const outboxWritten = defineEvent(
	"event-log.written",
	schema({ all: { type: "boolean", description: "Whether collections without events have audit entries too" } }),
);
