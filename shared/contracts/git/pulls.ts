/** The contract of pull requests: those that sessions open, and those of a repository at its git provider. */
import { defineContract } from "../contract.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { repoUrl } from "./repositories.ts";
import { absentOrNull, nullableText, nullableTime, text } from "../field-rules.ts";

export const pullStates = ["open", "merged", "closed"] as const;
export const ciStatuses = ["passing", "failing", "pending", "unknown"] as const;
export const reviewStatuses = ["approved", "changes_requested", "pending", "unknown"] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];
export const mergeMethods = ["merge", "squash", "rebase"] as const;

const number = { type: "number", integer: true, min: 1, max: Number.MAX_SAFE_INTEGER } as const;
const ciStatus = { type: "enum", values: ciStatuses } as const;
const branch = { type: "string", min: 1, max: 200 } as const;

export const pullRequest = schema({
	number: { ...number, description: "Number of the pull request, or iid of the merge request" },
	title: text,
	url: text,
	repo_url: { ...text, description: "As the caller gave it" },
	provider: { ...text, description: "Name of the provider" },
	source_branch: text,
	target_branch: text,
	status: { type: "enum", values: pullStates },
	description: nullableText,
	ci_status: { ...ciStatus, nullable: true, description: "Null in lists" },
	review_status: { type: "enum", values: reviewStatuses, nullable: true, description: "Null in lists" },
	created_at: nullableTime,
	updated_at: nullableTime,
	head_sha: { ...text, description: "The commit at the end of the source branch" },
	mergeable: { type: "boolean", nullable: true, description: "Null: the provider does not know it yet" },
	draft: { type: "boolean" },
	session_id: { type: "uuid", nullable: true, description: "The session that it was opened from, if you may see it" },
});
export type PullRequestView = Output<typeof pullRequest>;

/** The pull request of a session, for programs that watch it. */
const sessionPull = schema({
	pr_id: text,
	url: text,
	state: { type: "enum", values: pullStates },
	mergeable: { type: "boolean", description: "False also while the provider does not know it" },
	ci_passed: { type: "boolean", nullable: true, description: "Null: not known, or not finished" },
});
export type SessionPull = Output<typeof sessionPull>;

export const pullCreateFields = schema({
	session_id: { type: "uuid" },
	title: {
		type: "string",
		max: 250,
		...absentOrNull,
		description: 'Also the message of the commit. Default: "Session: " and the name of the session',
	},
	description: { type: "string", max: 60_000, ...absentOrNull, description: "Absent: the session's chronicle" },
	target_branch: {
		type: "string",
		max: 200,
		...absentOrNull,
		description: "Absent: the base branch of the session, or the default branch of the repository",
	},
	labels: { type: "array", max: 50, items: { type: "string", min: 1, max: 100 }, default: [] },
	draft: { type: "boolean", default: false },
	repo: {
		type: "string",
		max: 2_048,
		...absentOrNull,
		description: "Which repository of the session: its URL or its folder; absent: the session's own one",
	},
});
export type PullCreate = Output<typeof pullCreateFields>;

const view = { type: "object", props: pullRequest } as const;
const numbered = { number, repo_url: repoUrl } as const;
/** The time of requests to providers, in milliseconds, with the way to and from the service. */
const timeout = 20_000;

export const pulls = defineContract("pulls", {
	list: {
		rest: "GET /repos/prs",
		summary: "The newest pull requests of a repository, at most 100",
		params: {
			repo_url: repoUrl,
			status: { type: "enum", values: [...pullStates, "all"], default: "open" },
			...pageParams,
		},
		...pageOf(view),
		errors: [400, 404, 502, 503],
		timeout,
	},
	create: {
		rest: "POST /repos/prs",
		summary: "Commit and push the work of a session, and open a pull request; an open one of the branches is adopted",
		example: { session_id: "the id of a session" },
		status: 201,
		params: pullCreateFields,
		returns: view,
		errors: [400, 404, 409, 502, 503],
		timeout: 150_000,
	},
	get: {
		rest: "GET /repos/prs/:number",
		summary: "One pull request, with its checks and reviews",
		params: numbered,
		returns: view,
		errors: [400, 404, 502, 503],
		timeout,
	},
	merge: {
		rest: "POST /repos/prs/:number/merge",
		in_query: ["repo_url"],
		summary: "Merge a pull request; one that is merged already is a success too",
		params: {
			...numbered,
			merge_method: {
				type: "enum",
				values: mergeMethods,
				...absentOrNull,
				description: "Absent: `git.workflow.default_merge_method`",
			},
			expected_head_sha: {
				type: "string",
				max: 64,
				pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$",
				words: "be the whole hash of a commit: 40 or 64 lower-case hexadecimal digits",
				...absentOrNull,
				description: "The commit that was looked at; 409 `PULL_HEAD_MOVED` when there are newer ones",
			},
		},
		returns: {
			type: "object",
			props: {
				merged: { type: "boolean", description: "Always true; a refused merge is 409" },
				sha: { ...nullableText, description: "The commit of the merge, when the provider says it" },
			},
		},
		errors: [400, 404, 409, 502, 503],
		timeout: 30_000,
	},
	ci: {
		rest: "GET /repos/prs/:number/ci",
		summary: "The checks of a branch; the number is not used",
		params: { ...numbered, branch: { ...branch, description: "Branch to look at" } },
		returns: { type: "object", props: { status: ciStatus } },
		errors: [400, 404, 502, 503],
		timeout,
	},
	of_session: {
		rest: "GET /sessions/:session_id/pr",
		summary: "The newest pull request of a session",
		params: { session_id: { type: "uuid" } },
		returns: { type: "object", props: sessionPull },
		errors: [400, 404, 502, 503],
		timeout,
	},
});
