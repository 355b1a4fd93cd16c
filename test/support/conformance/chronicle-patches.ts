/** The intended differences from the contract in chronicles, timelines and raw events. */
import type { Patch } from "./contract-editor.ts";

const truncated = { type: "boolean" } as const;

export const chroniclePatches: readonly Patch[] = [
	{
		operation: "listSessionEvents, countSessionEvents, tokenTimeline, getChronicleChain",
		contract: "empty for an unknown id",
		ours: "404",
		apply(edit) {
			for (const id of ["listSessionEvents", "countSessionEvents", "tokenTimeline", "getChronicleChain"])
				edit.addError(id, "404", "Unknown");
		},
	},
	{
		operation: "ingestEvent, ingestEvents",
		contract: "an unknown session is not looked for",
		ours: "404",
		apply(edit) {
			for (const id of ["ingestEvent", "ingestEvents"]) edit.addError(id, "404", "Unknown");
		},
	},
	{
		operation: "reportChronicle, updateChronicle",
		contract: "422 without a body",
		ours: "no body counts as `{}`",
		apply(edit) {
			for (const id of ["reportChronicle", "updateChronicle"]) edit.makeBodyOptional(id);
		},
	},
	{
		operation: "listChronicles, listSessionEvents",
		contract: "`limit`, `offset`",
		ours: "also `cursor`, headers `Link` and `ETag`; a page ends before 850 KB",
		apply(edit) {
			for (const id of ["listChronicles", "listSessionEvents"]) {
				edit.addQuery(id, "cursor", { type: "string" });
				edit.addError(id, "400", "The cursor is not ours");
			}
		},
	},
	{
		operation: "getTimeline, chronicle_event",
		contract: "unbounded",
		ours: "the newest 2,000 entries, `truncated`; an event over 16 KB leaves out what the entries come to",
		apply(edit) {
			for (const schema of ["TimelineResponse", "SseChronicleEvent"]) edit.properties(schema)["truncated"] = truncated;
		},
	},
	{
		operation: "reforgeChronicle",
		contract: "`<name> (reforged)`, nobody's",
		ours: "`<name>-reforged`, the caller's; an `Idempotency-Key` makes one session",
	},
	{
		operation: "tokenTimeline",
		contract: "`message_assistant` and `token_usage` are added up",
		ours: "the `token_usage` of a turn, or else its `message_assistant`; `cost` is a number",
	},
	{
		operation: "every chronicle",
		contract: "`token_usage` from when it began",
		ours: "from the newest report",
	},
];
