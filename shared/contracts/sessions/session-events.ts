/**
 * The contract of raw events of sessions, as the pod reports them one by one. They are not the events of the platform's
 * stream.
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { reportBodies } from "./sessions.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { absentOrNull, count, freeForm, sessionId, summableCount, text } from "../field-rules.ts";

export const sessionEventTypes = [
	"message_user",
	"message_assistant",
	"file_created",
	"file_modified",
	"file_deleted",
	"git_commit",
	"git_push",
	"git_branch",
	"git_checkout",
	"terminal_command",
	"tool_use",
	"error",
	"token_usage",
	"session_start",
	"session_stop",
] as const;
export type SessionEventType = (typeof sessionEventTypes)[number];

const time = { type: "string", max: 40, format: "date-time" } as const;

const measures = {
	tokens_in: { ...summableCount, ...absentOrNull },
	tokens_out: { ...summableCount, ...absentOrNull },
	cost: { type: "number", min: 0, max: 1_000_000, ...absentOrNull, description: "US dollars" },
	duration_ms: { ...summableCount, ...absentOrNull },
	model: { type: "string", max: 100, ...absentOrNull },
} as const;

/** The fields of an event that its producer sends. */
export const eventFields = schema({
	event_type: { type: "string", min: 1, max: 40, description: `One of ${sessionEventTypes.join(", ")}` },
	timestamp: { ...time, description: "Time of the event" },
	data: { ...freeForm, max_bytes: 4_096, default: {} },
	sequence: { ...count, description: "Order within the session" },
	...measures,
});

const ingested = { session_id: { type: "uuid" }, ...eventFields } as const;
export type IngestedEvent = Output<typeof ingested>;

export const sessionEvent = schema({
	id: { type: "uuid" },
	session_id: { type: "uuid" },
	event_type: { type: "enum", values: sessionEventTypes },
	timestamp: time,
	data: freeForm,
	sequence: count,
	...measures,
});
export type SessionEvent = Output<typeof sessionEvent>;

export const tokenBucket = schema({
	bucket: { type: "number", integer: true, description: "Its start in Unix seconds, a multiple of `bucket_seconds`" },
	tokens_in: count,
	tokens_out: count,
	cost: { type: "number", min: 0, description: "US dollars" },
});
export type TokenBucket = Output<typeof tokenBucket>;

const record = { type: "object", props: sessionEvent } as const;

const example = {
	session_id: "the id of a session",
	event_type: "message_user",
	timestamp: "2026-01-31T12:00:00Z",
	sequence: 1,
} as const;

export const sessionEvents = defineContract("session-events", {
	list: {
		rest: "GET /sessions/:session_id/events",
		summary: "Raw events of a session in their order; follow `Link` until there is none",
		params: {
			...sessionId,
			event_type: { type: "string", max: 40, optional: true, description: `One of ${sessionEventTypes.join(", ")}` },
			after: { ...time, optional: true, description: "Only events after this time" },
			before: { ...time, optional: true, description: "Only events before this time" },
			limit: { type: "number", integer: true, min: 1, max: 2_000, default: 200 },
			offset: { ...count, max: 10_000, default: 0, description: "Events to skip, after `cursor` if given" },
			cursor: { ...pageParams.cursor, max: 300 },
		},
		...pageOf(record),
		errors: [400, 404],
	},
	counts: {
		rest: "GET /sessions/:session_id/events/counts",
		summary: "Count of raw events by type, without types that have none",
		params: sessionId,
		returns: { type: "record", key: text, value: count },
		errors: [404],
	},
	tokens: {
		rest: "GET /sessions/:session_id/events/tokens",
		summary: "Tokens by time, each counted once: from a turn's `token_usage` events or, without those, from its answer",
		params: {
			...sessionId,
			bucket_seconds: { type: "number", integer: true, min: 60, max: 3_600, default: 300 },
		},
		returns: { type: "array", items: { type: "object", props: tokenBucket } },
		errors: [404],
	},
	ingest: {
		rest: "POST /events",
		access: "session",
		summary: "Store one raw event",
		example,
		status: 201,
		params: ingested,
		returns: record,
		errors: [404, 409],
	},
	ingest_batch: {
		rest: "POST /events/batch",
		access: "session",
		summary: "Store up to 500 raw events, all or none",
		example: { events: [example] },
		status: 201,
		params: { events: { type: "array", min: 1, max: 500, items: { type: "object", props: ingested } } },
		returns: { type: "array", items: record },
		errors: [404, 409],
		max_body: reportBodies,
	},
	health: {
		rest: "GET /events/health",
		summary: "Whether raw events can be stored, by place",
		params: {},
		returns: {
			type: "object",
			props: { sinks: { type: "record", key: text, value: { type: "boolean" } } },
		},
	},
});
