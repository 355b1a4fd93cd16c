/** The contract of history: reports of a session's pod that can be read when the pod no longer exists. */
import { defineContract } from "../contract.ts";
import { schema, type Input, type Output } from "#shared/base/schema/schema.ts";
import { chronicleReport, entryFields } from "./chronicles.ts";
import { eventFields } from "./session-events.ts";
import { logEntry, reportBodies, turn } from "./sessions.ts";
import { reporterId } from "./usage.ts";
import { count } from "../field-rules.ts";

export const maxPatchPiece = 256 * 1024;

const patchPiece = {
	id: { ...reporterId, description: "Id of the patch; a patch with another id replaces it" },
	piece: { ...count, max: 15, description: "Counts from 0" },
	pieces: {
		type: "number",
		integer: true,
		min: 1,
		max: 16,
		description: "The patch is valid when its last piece has arrived",
	},
	text: { type: "string", max: maxPatchPiece, description: "Part of a unified diff" },
	truncated: { type: "boolean", description: "Whether the patch was cut at the end of a file" },
} as const;

export const maxReportEntries = 50;
export const maxReportEvents = 100;

const reportedEntry = {
	at: { type: "string", max: 40, format: "date-time", description: "Time of the event" },
	...entryFields,
} as const;
export type ReportedEntry = Output<typeof reportedEntry>;
export type ReportedEvent = Output<typeof eventFields>;

export const historyReport = schema({
	launch: {
		...count,
		optional: true,
		description: "Launch that made the report but could not deliver it; default: the caller's own",
	},
	n: {
		...count,
		description:
			"Grows with every report of a launch. One that is not above the newest is acknowledged and changes nothing; gaps are allowed",
	},
	logs: { type: "array", max: 2_000, max_bytes: reportBodies, items: { type: "object", props: logEntry }, default: [] },
	turns: { type: "array", max: 2_000, max_bytes: reportBodies, items: { type: "object", props: turn }, default: [] },
	diff: { type: "object", props: patchPiece, optional: true, description: "Against the last commit" },
	branch_diff: {
		type: "object",
		props: patchPiece,
		optional: true,
		description: "Against the remote's default branch",
	},
	timeline: { type: "array", max: maxReportEntries, items: { type: "object", props: reportedEntry }, default: [] },
	events: { type: "array", max: maxReportEvents, items: { type: "object", props: eventFields }, default: [] },
	chronicle: { type: "object", props: chronicleReport, optional: true, description: "Summary of the launch" },
});
export type HistoryReport = Output<typeof historyReport>;
export type SentHistoryReport = Input<typeof historyReport>;
export type PatchPiece = NonNullable<HistoryReport["diff"]>;

export const history = defineContract("history", {
	report: {
		rest: "POST /sessions/:session_id/history",
		access: "pod",
		summary:
			"Log lines, turns, timeline, events and the patch since the last report, from the session's pod; each once",
		example: { n: 1 },
		params: { session_id: { type: "uuid" }, ...historyReport },
		errors: [404, 409],
		max_body: reportBodies,
		idempotent: true,
	},
});
