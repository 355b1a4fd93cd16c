/** The contract of issues: those of all trackers of the caller, and those of a session. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { issueId, issueList, searchText, stateName, trackerIssue, trackerMs } from "./issue-fields.ts";
import { mapping } from "./mappings.ts";
import { count, text, time } from "../field-rules.ts";

const record = { type: "object", props: trackerIssue } as const;

/** The events of a session at which a mapping may move its issue. */
export const moveEvents = ["start", "merge"] as const;
export type MoveEvent = (typeof moveEvents)[number];

export const moveStates = ["waiting", "done", "failed"] as const;

export const issueMove = schema({
	issue_id: text,
	event: { type: "enum", values: moveEvents },
	status: { type: "string", description: "State that the issue gets" },
	state: { type: "enum", values: moveStates },
	attempts: count,
	error: { type: "string", nullable: true, description: "Sentence of the last failure" },
	updated_at: time,
});
export type IssueMove = Output<typeof issueMove>;

export const sessionIssues = schema({
	mapping: { type: "object", props: mapping, nullable: true, description: "Mapping of the session's repository" },
	linked: { ...record, nullable: true, description: "The session's own issue, when its tracker knows it" },
	related: { ...issueList, description: "Issues of the project that match the session, then the last updated ones" },
	moves: { type: "array", items: { type: "object", props: issueMove } },
	warnings: { type: "array", items: text, description: "Sentences about what could not be asked" },
});
export type SessionIssues = Output<typeof sessionIssues>;

export const issues = defineContract("issues", {
	search: {
		rest: "GET /issues/search",
		summary: "Issues of all trackers of the caller that contain a text; trackers that fail are skipped",
		params: { q: searchText },
		returns: issueList,
		timeout: trackerMs,
	},
	get: {
		rest: "GET /issues/:issue_id",
		summary: "An issue, of the first tracker that knows it",
		params: { issue_id: issueId },
		returns: record,
		errors: [404],
		timeout: trackerMs,
	},
	set_status: {
		rest: "POST /issues/:issue_id/status",
		summary: "Set the status of an issue, in the first tracker that knows it",
		example: { status: "Done" },
		params: { issue_id: issueId, status: stateName },
		returns: record,
		status: 200,
		errors: [404, 502, 503],
		timeout: trackerMs,
	},
	of_session: {
		rest: "GET /sessions/:session_id/issues",
		summary: "The issue of a session, issues of its repository's project, and the moves of its issue",
		params: { session_id: { type: "uuid" } },
		returns: { type: "object", props: sessionIssues },
		errors: [404],
		timeout: trackerMs,
	},
});
