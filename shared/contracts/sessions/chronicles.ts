/** The contract of chronicles: summaries of sessions in words, and their timelines. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { session } from "./session-resource.ts";
import { changedFile, diffBase, fileDiff } from "./session-diff.ts";
import { reportBodies } from "./sessions.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import {
	absentOrNull,
	count,
	freeForm,
	nullableText,
	sessionId,
	summableCount,
	text,
	texts,
	time,
} from "../field-rules.ts";

export const chronicleStatuses = ["draft", "complete"] as const;

export const entryTypes = ["session", "message", "file", "git", "terminal", "error"] as const;
export const fileActions = ["created", "modified", "deleted"] as const;

/** The length of a timeline in seconds, one year; later entries are put at its end. */
export const maxTimelineSeconds = 31_536_000;

const prose = { type: "string", max: 10_000 } as const;
const keyChanges = { type: "array", max: 100, items: { type: "string", max: 500 } } as const;

export const chronicle = schema({
	id: { type: "uuid" },
	session_id: { type: "uuid", nullable: true, description: "Null when the session is deleted" },
	status: { type: "enum", values: chronicleStatuses },
	project: { ...text, description: "Last segment of the repository's URL, without `.git`" },
	repo: text,
	branch: text,
	model: text,
	config_snapshot: {
		...freeForm,
		description: "Name, model, repository and branch of the session when the chronicle began",
	},
	summary: nullableText,
	key_changes: texts,
	unfinished_work: nullableText,
	token_usage: { ...count, description: "Tokens of the session when the chronicle began or was last reported" },
	cost: { type: "number", min: 0, nullable: true, description: "US dollars" },
	duration_seconds: { ...count, nullable: true },
	tags: texts,
	parent_chronicle_id: {
		type: "uuid",
		nullable: true,
		description: "The chronicle that its session was reforged from",
	},
	created_at: time,
	updated_at: time,
});
export type Chronicle = Output<typeof chronicle>;

/** The report of a pod at the end of a launch. Absent and null members leave the stored values unchanged. */
export const chronicleReport = schema({
	summary: { ...prose, ...absentOrNull },
	key_changes: { ...keyChanges, ...absentOrNull },
	unfinished_work: { ...prose, ...absentOrNull },
	duration_seconds: { ...summableCount, ...absentOrNull },
});
export type ChronicleReport = Output<typeof chronicleReport>;

/** The fields of an entry beside its time. */
export const entryFields = schema({
	type: { type: "enum", values: entryTypes },
	label: {
		type: "string",
		min: 1,
		max: 1_024,
		description: "Path of a file, subject of a commit, otherwise the first line of a text or command",
	},
	tokens: { ...summableCount, ...absentOrNull, description: "Messages" },
	action: { type: "enum", values: fileActions, ...absentOrNull, description: "Files" },
	ins: { ...summableCount, ...absentOrNull },
	del: { ...summableCount, ...absentOrNull },
	hash: { type: "string", max: 40, ...absentOrNull, description: "Commits" },
	exit: { type: "number", integer: true, ...absentOrNull, description: "Commands" },
});

export const timelineEntry = schema({
	t: { ...count, max: maxTimelineSeconds, description: "Seconds since the session was created" },
	...entryFields,
});
export type TimelineEntry = Output<typeof timelineEntry>;

const timelineCommit = {
	hash: { ...text, description: "First seven characters" },
	msg: text,
	time: { ...text, description: "HH:MM in UTC" },
} as const;

export const timelineTotals = schema({
	files: { type: "array", items: { type: "object", props: changedFile } },
	commits: { type: "array", items: { type: "object", props: timelineCommit }, description: "Newest first" },
	token_burn: { type: "array", items: count, description: "Tokens of messages by 300 s" },
});
export type TimelineTotals = Output<typeof timelineTotals>;

export const timeline = schema({
	events: { type: "array", items: { type: "object", props: timelineEntry }, description: "Ascending" },
	...timelineTotals,
	truncated: { type: "boolean", optional: true, description: "Whether the oldest entries were removed" },
});
export type Timeline = Output<typeof timeline>;

const chronicleId = { chronicle_id: { type: "uuid" } } as const;
/** The contract's own name for a session's id in these paths. */
const timelineOf = { chronicle_id: { type: "uuid", description: "Id of the session" } } as const;
const record = { type: "object", props: chronicle } as const;

export const chronicles = defineContract("chronicles", {
	report: {
		rest: "POST /sessions/:session_id/chronicle",
		access: "session",
		summary: "Report the summary of a session, which completes its draft or begins one",
		status: 201,
		params: { ...sessionId, ...chronicleReport },
		returns: record,
		errors: [404, 409, 503],
		max_body: reportBodies,
	},
	newest: {
		rest: "GET /sessions/:session_id/chronicle",
		summary: "The newest chronicle of a session",
		params: sessionId,
		returns: record,
		errors: [404],
	},
	list: {
		rest: "GET /chronicles",
		summary: "Chronicles, newest first; follow `Link` until there is none",
		params: {
			project: { type: "string", max: 500, optional: true },
			repo: { type: "string", max: 500, optional: true },
			model_name: { type: "string", max: 100, optional: true },
			tags: {
				type: "string",
				max: 2_000,
				optional: true,
				description: "Tags separated by commas; a chronicle must have all of them",
			},
			limit: { type: "number", integer: true, min: 1, max: 200, default: 50 },
			offset: { ...count, max: 10_000, default: 0, description: "Chronicles to skip, after `cursor` if given" },
			cursor: { ...pageParams.cursor, max: 300 },
		},
		...pageOf(record),
	},
	create: {
		rest: "POST /chronicles",
		summary: "Create a draft from the present state of a session",
		example: { session_id: "the id of a session" },
		status: 201,
		params: sessionId,
		returns: record,
		errors: [404, 503],
	},
	get: {
		rest: "GET /chronicles/:chronicle_id",
		summary: "One chronicle",
		params: chronicleId,
		returns: record,
		errors: [404],
	},
	update: {
		rest: "PATCH /chronicles/:chronicle_id",
		summary: "Edit a chronicle; absent and null members are unchanged",
		params: {
			...chronicleId,
			summary: { ...prose, ...absentOrNull },
			key_changes: { ...keyChanges, ...absentOrNull },
			unfinished_work: { ...prose, ...absentOrNull },
			tags: { type: "array", max: 50, items: { type: "string", min: 1, max: 100 }, ...absentOrNull },
			status: { type: "enum", values: chronicleStatuses, ...absentOrNull },
		},
		returns: record,
		errors: [404, 503],
		max_body: reportBodies,
	},
	delete: {
		rest: "DELETE /chronicles/:chronicle_id",
		summary: "Delete a chronicle and its timeline",
		params: chronicleId,
		errors: [404, 503],
	},
	reforge: {
		rest: "POST /chronicles/:chronicle_id/reforge",
		summary: "Create a session like the chronicle's in the status `created`; it is not started",
		params: chronicleId,
		returns: { type: "object", props: session },
		errors: [404],
	},
	chain: {
		rest: "GET /chronicles/:chronicle_id/chain",
		summary: "A chronicle and the chronicles it was reforged from, oldest first",
		params: chronicleId,
		returns: { type: "array", items: record },
		errors: [404],
	},
	timeline: {
		rest: "GET /chronicles/:chronicle_id/timeline",
		summary: "Timeline of a session's newest chronicle",
		params: timelineOf,
		returns: { type: "object", props: timeline },
		errors: [404],
	},
	add_entry: {
		rest: "POST /chronicles/:chronicle_id/timeline",
		access: "session",
		summary: "Add an entry to a session's timeline; the first one begins a draft",
		example: { t: 60, type: "message", label: "First message" },
		status: 201,
		params: { ...timelineOf, ...timelineEntry },
		returns: { type: "object", props: timelineEntry },
		errors: [404, 409, 503],
	},
	diff: {
		rest: "GET /chronicles/:chronicle_id/diff",
		summary: "Changes of one file of a session",
		params: {
			...timelineOf,
			file: { type: "string", min: 1, max: 4_096, description: "Path below the workspace" },
			base: diffBase,
		},
		returns: { type: "object", props: fileDiff },
		errors: [400, 404, 502],
	},
});
