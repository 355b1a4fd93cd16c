/** The contract of the session record: the requests of clients about sessions. */
import { bound } from "#shared/base/bounds.ts";
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { diffBase, diffFileList, diffPatch, fileDiff } from "./session-diff.ts";
import {
	activityStates,
	budgetLimit,
	deleteSessionFields,
	session,
	sessionCreateFields,
	sessionStatuses,
	updatedSession,
} from "./session-resource.ts";
import { absentOrNull, freeForm, sessionId, text, time } from "../field-rules.ts";

const record = { type: "object", props: session } as const;

/** The bound of request bodies with prompts, 512 KiB: prompts have up to 100,000 characters of up to four bytes each. */
export const promptBodies = bound.bodyWithPrompt;
export const reportBodies = bound.bodyWithReport;
/**
 * The bound of activity metadata in bytes of JSON. The metadata is part of the session and therefore of its events and
 * of lists.
 */
export const maxActivityMetadata = 4_096;

export const logEntry = {
	timestamp: { type: "number", max: 1_000_000_000_000, description: "Unix seconds, fractional" },
	time: { type: "string", optional: true },
	level: text,
	logger: { type: "string", optional: true },
	message: text,
} as const;

export const turn = {
	id: text,
	role: { type: "enum", values: ["user", "assistant"] },
	content: text,
	parts: { type: "array", items: { type: "any" } },
	created_at: time,
	metadata: freeForm,
} as const;

export const sessionLogs = schema({
	session_id: text,
	total: { type: "number", integer: true },
	returned: { type: "number", integer: true },
	lines: { type: "array", items: { type: "object", props: logEntry } },
});
export type SessionLogs = Output<typeof sessionLogs>;

export const conversation = schema({
	turns: { type: "array", items: { type: "object", props: turn } },
	is_active: { type: "boolean" },
	last_activity: text,
	truncated: { type: "boolean", description: "Older turns were omitted; request them with `before`" },
});
export type ConversationPage = Output<typeof conversation>;
export type ConversationTurn = ConversationPage["turns"][number];

export const sessions = defineContract("sessions", {
	list: {
		rest: "GET /sessions",
		summary: "List sessions, newest first",
		description: "Users see their own sessions, and administrators those of their tenant.",
		params: {
			status: {
				type: "string",
				max: 20,
				optional: true,
				description: `One of ${sessionStatuses.join(", ")}, in either case`,
			},
			include_archived: {
				type: "boolean",
				default: false,
				description: "Also archived sessions, when `status` is absent",
			},
			name: {
				type: "string",
				max: 255,
				optional: true,
				description: "The exact name; names are not unique, so there may be several sessions, or none",
			},
			limit: { type: "number", integer: true, min: 1, max: 500, default: 500 },
			cursor: { ...pageParams.cursor, max: 300 },
		},
		...pageOf(record),
	},
	create: {
		rest: "POST /sessions",
		summary: "Create a session and start it",
		description:
			"The answer comes at once with the status `starting`; the session is `running` when its repositories are cloned, its setup scripts have ended and its agent is ready. Only `name` is needed. Members that nobody knows are named in `warnings`.",
		example: { name: "first-session" },
		status: 201,
		params: sessionCreateFields,
		returns: record,
		errors: [409],
		max_body: promptBodies,
	},
	archive_stopped: {
		rest: "POST /sessions/archive-stopped",
		summary: "Archive stopped sessions of the caller, at most 200 per call",
		params: {
			cursor: { ...pageParams.cursor, max: 300, description: "The cursor in the `Link` header of the preceding call" },
		},
		returns: {
			type: "object",
			props: { items: { type: "array", items: { type: "uuid" } }, next: { type: "string", optional: true } },
		},
		errors: [400],
		paged: true,
	},
	get: {
		rest: "GET /sessions/:session_id",
		summary: "One session",
		description: "`status_reason` says why it has its status; its codes are on the page on the life of a session.",
		params: sessionId,
		returns: record,
		errors: [404],
	},
	update: {
		rest: "PUT /sessions/:session_id",
		summary: "Change name, model, branch, tracker issue or budget; absent and null members are unchanged",
		example: { name: "another-name" },
		params: {
			...sessionId,
			name: { ...sessionCreateFields.name, ...absentOrNull },
			model: { type: "string", min: 1, max: 100, ...absentOrNull },
			branch: { type: "string", min: 1, max: 255, ...absentOrNull },
			base_branch: {
				type: "string",
				min: 1,
				max: 255,
				...absentOrNull,
				description: "The branch at which `branch` begins when the clone does not have it",
			},
			tracker_issue_id: { type: "string", max: 255, ...absentOrNull },
			budget: budgetLimit,
		},
		returns: { type: "object", props: updatedSession },
		errors: [404, 409],
		max_body: promptBodies,
	},
	delete: {
		rest: "DELETE /sessions/:session_id",
		summary: "Delete a session and its pod",
		params: { ...sessionId, ...deleteSessionFields },
		errors: [404],
	},
	start: {
		rest: "POST /sessions/:session_id/start",
		summary: "Start a stopped or failed session",
		description: "It goes on in its workspace with its conversation. A profile replaces the one of former launches.",
		params: { ...sessionId, profile_name: { type: "string", max: 255, ...absentOrNull } },
		returns: record,
		errors: [404, 409],
	},
	stop: {
		rest: "POST /sessions/:session_id/stop",
		makes_room: true,
		summary: "Stop a session, waiting up to 5 s for its end; its workspace stays",
		params: sessionId,
		returns: record,
		errors: [404, 409],
	},
	archive: {
		rest: ["PATCH /sessions/:session_id/archive", "POST /sessions/:session_id/archive"],
		summary: "Archive a session, stopping its pod if one runs",
		params: sessionId,
		returns: record,
		errors: [404, 409],
	},
	restore: {
		rest: ["PATCH /sessions/:session_id/restore", "POST /sessions/:session_id/restore"],
		summary: "Restore an archived session as stopped",
		params: sessionId,
		returns: record,
		errors: [404, 409],
	},
	activity: {
		rest: "POST /sessions/:session_id/activity",
		access: "session",
		summary: "Report the activity of the agent, by the pod",
		example: { state: "idle" },
		params: {
			...sessionId,
			state: { type: "string", max: 40, description: `One of ${activityStates.join(", ")}` },
			metadata: {
				...freeForm,
				max_bytes: maxActivityMetadata,
				default: {},
			},
		},
		errors: [404, 409],
	},
	logs: {
		rest: "GET /sessions/:session_id/logs",
		summary: "The last log entries of the session's pod",
		params: {
			...sessionId,
			lines: { type: "number", integer: true, min: 1, max: 2_000, default: 100 },
			level: {
				type: "string",
				max: 20,
				default: "DEBUG",
				description: "Least level: DEBUG, INFO, WARNING or ERROR, in either case",
			},
		},
		returns: { type: "object", props: sessionLogs },
		errors: [404, 502],
	},
	messages: {
		rest: "POST /sessions/:session_id/messages",
		summary: "Send the agent a message; the answer comes when the pod has it in its queue on disk",
		description:
			"The agent's answer is a turn of the conversation whose `in_reply_to` is the `message_id` of this one. A message that begins with `$ ` is run as a command of the shell.",
		example: { content: "$ ls" },
		params: {
			...sessionId,
			content: {
				type: "multi",
				rules: [
					{ type: "string", max: 400_000 },
					{
						type: "array",
						max: 200,
						max_bytes: reportBodies,
						items: freeForm,
					},
				],
				...absentOrNull,
				description: "Text, or a list of content blocks, of which only texts are used",
			},
		},
		returns: {
			type: "object",
			props: {
				status: { type: "enum", values: ["sent"] },
				session_id: { type: "uuid" },
				message_id: text,
			},
		},
		errors: [400, 404, 409, 502],
		max_body: reportBodies,
	},
	conversation: {
		rest: "GET /sessions/:session_id/conversation",
		summary: "The newest turns that fit 900 KB, oldest first",
		params: {
			...sessionId,
			before: { type: "string", max: 100, optional: true, description: "Id of a turn: only older turns are returned" },
		},
		returns: { type: "object", props: conversation },
		errors: [404, 502],
	},
	diff: {
		rest: "GET /sessions/:session_id/diff",
		summary: "Changes in the workspace, including new files",
		description:
			"By default a list of the changed files; with `file` the hunks of one; with `format=patch` a patch of everything that `git apply` takes.",
		text_form: {
			member: "patch",
			types: ["text/x-diff", "text/x-patch"],
			truncated_note: "This patch is incomplete: files are missing, so that it fits 900 KB",
			omitted: "omitted",
		},
		params: {
			...sessionId,
			file: {
				type: "string",
				min: 1,
				max: 4_096,
				optional: true,
				description: "Path of one file below the workspace, whose changes are returned as hunks",
			},
			base: diffBase,
			format: {
				type: "enum",
				values: ["files", "patch"],
				default: "files",
				description: "`patch`: the whole unified diff, as text if `Accept` is `text/x-diff` or `text/x-patch`",
			},
		},
		returns: {
			type: "multi",
			rules: [
				{ type: "object", props: fileDiff },
				{ type: "object", props: diffFileList },
				{ type: "object", props: diffPatch },
			],
		},
		errors: [400, 404, 502],
	},
});
