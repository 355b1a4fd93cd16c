/** Aggregate numbers. */
import { defineContract } from "../bus/contract.ts";
import { schema, type Output } from "../bus/schema.ts";

const count = { type: "number", integer: true, min: 0 } as const;

export const stats = schema({
	active_sessions: { ...count, description: "Sessions with status running" },
	total_sessions: { ...count, description: "All sessions, archived included" },
	tokens_today: { ...count, description: "Since 00:00 UTC" },
	local_tokens: count,
	cloud_tokens: count,
	cost_today: { type: "number", min: 0, description: "US dollars" },
});
export type Stats = Output<typeof stats>;

export const usage = defineContract("usage", {
	stats: {
		rest: "GET /stats",
		summary: "Numbers over what the caller may see",
		params: {},
		returns: { type: "object", props: stats },
		errors: [503],
	},
});
