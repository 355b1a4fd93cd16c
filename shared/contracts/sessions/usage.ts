/** The contract of usage: reports of tokens that sessions have used, and sums of them. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { absentOrNull, count, dollars, text, time } from "../field-rules.ts";

/** The most tokens of one report; a pod with more usage sends several reports. */
export const maxReportedTokens = 100_000_000;
const tokens = { ...count, max: maxReportedTokens } as const;
const uuid = { type: "uuid" } as const;

/** The id of a report, a reservation or a patch; its creator chooses it. */
export const reporterId = {
	type: "string",
	min: 1,
	max: 64,
	pattern: "^[\\w-]+$",
	words: "have only letters, digits, hyphens and underscores",
} as const;

/** The four exclusive buckets of tokens. */
export const bucketFields = {
	input_tokens: {
		...tokens,
		optional: true,
		description: "Input tokens without those read from or written to a cache",
	},
	output_tokens: { ...tokens, optional: true, description: "Output tokens including reasoning" },
	cache_read_tokens: { ...tokens, optional: true },
	cache_write_tokens: { ...tokens, optional: true },
} as const;

export const modelLocations = ["cloud", "local"] as const;

/**
 * The sources of a report. `metered`: counted where the model was called. `estimated`: counted there too, but the
 * provider reported nothing. `agent-reported`: reported by the coding agent.
 */
export const usageSources = ["metered", "estimated", "agent-reported"] as const;
/**
 * The sources of a record. `user`: reported by the session's owner, whatever the report calls itself; it does not count
 * towards any budget.
 */
export const recordSources = [...usageSources, "user"] as const;

export const usageReport = schema({
	tokens: { ...tokens, min: 1, description: "Total of input, output and cache tokens" },
	provider: { type: "enum", values: modelLocations },
	model: { type: "string", min: 1, max: 100 },
	message_count: {
		...tokens,
		default: 1,
		description: "Messages that these tokens belong to; 0 when an earlier report has counted the message",
	},
	cost: {
		...dollars,
		max: 1_000,
		...absentOrNull,
		description: "US dollars according to the reporter; used only for a model without a price here",
	},
	report_id: {
		...reporterId,
		optional: true,
		description:
			"Id that makes a repeated report harmless: the same report gets the first answer, another one gets 409",
	},
	...bucketFields,
	source: { type: "enum", values: usageSources, default: "agent-reported" },
	launch: {
		...count,
		optional: true,
		description: "Launch that used the tokens; default: the caller's own, otherwise the present one",
	},
	reservation_id: { ...reporterId, optional: true, description: "Reservation that pays the cost" },
});
export type UsageReport = Output<typeof usageReport>;

export const usageRecord = schema({
	id: text,
	session_id: uuid,
	recorded_at: time,
	tokens: count,
	provider: { type: "enum", values: modelLocations },
	model: text,
	cost: { ...dollars, nullable: true, description: "US dollars; null for local models and those without a price" },
	source: {
		type: "enum",
		values: recordSources,
		description: "A report of `user` counts for the session's tokens only",
	},
});
export type UsageRecord = Output<typeof usageRecord>;

export const stats = schema({
	active_sessions: { ...count, description: "Sessions with status running" },
	total_sessions: { ...count, description: "All sessions, including archived ones" },
	tokens_today: { ...count, description: "Tokens since 00:00 UTC" },
	local_tokens: { ...count, description: "Today's tokens of local models" },
	cloud_tokens: { ...count, description: "Today's tokens of cloud models" },
	cost_today: { type: "number", min: 0, description: "US dollars since 00:00 UTC" },
});
export type Stats = Output<typeof stats>;

export const usage = defineContract("usage", {
	stats: {
		rest: "GET /stats",
		summary: "Statistics of the sessions that the caller may see",
		params: {},
		returns: { type: "object", props: stats },
		errors: [503],
	},
	report: {
		rest: "POST /sessions/:session_id/usage",
		access: "session",
		summary: "Report tokens that a session has used, by its pod or its owner; each report counts once",
		example: { tokens: 100, provider: "cloud", model: "claude-sonnet-4-6" },
		status: 201,
		params: { session_id: uuid, ...usageReport },
		returns: { type: "object", props: usageRecord },
		errors: [404, 409, 503],
	},
});
