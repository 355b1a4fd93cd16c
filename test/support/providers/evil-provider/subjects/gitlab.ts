/** The adapter of GitLab, with answers in the form that GitLab gives. */
import { Provider as GitLab } from "#services/git/git-providers/gitlab/gitlab.ts";
import type { Subject } from "../subject.ts";
import { CannedServer } from "./canned-server.ts";
import { gitOperations, head, merged, time } from "./git-subject.ts";

const web = "https://gitlab.example/acme/api";
const at = "/api/v4/projects/acme%2Fapi";
const request = {
	iid: 1,
	title: "Fix",
	description: "It",
	state: "opened",
	web_url: `${web}/-/merge_requests/1`,
	source_branch: "fix",
	target_branch: "main",
	sha: head,
	draft: false,
	merge_status: "can_be_merged",
	detailed_merge_status: "mergeable",
	has_conflicts: false,
	author: { username: "ada" },
	created_at: time,
	updated_at: time,
	merge_commit_sha: null,
	squash_commit_sha: null,
};
const project = {
	path: "api",
	path_with_namespace: "acme/api",
	web_url: web,
	http_url_to_repo: `${web}.git`,
	default_branch: "main",
};
const pipeline = { id: 1, status: "success", web_url: `${web}/-/pipelines/1`, updated_at: time };
const status = { name: "test", status: "success", target_url: `${web}/test`, created_at: time, finished_at: time };

const answers = {
	[`GET ${at}`]: project,
	[`GET ${at}/repository/branches`]: [{ name: "main", commit: { id: merged } }],
	[`GET ${at}/repository/branches/main`]: { name: "main", commit: { id: merged } },
	[`GET ${at}/repository/branches/fix`]: { name: "fix", commit: { id: head } },
	[`GET ${at}/repository/merge_base`]: { id: merged },
	[`GET ${at}/repository/commits/${head}/statuses`]: [status],
	[`GET ${at}/pipelines`]: [pipeline],
	[`GET ${at}/merge_requests/1`]: request,
	[`GET ${at}/merge_requests/1/approvals`]: { approved_by: [{ user: { username: "eve" }, approved_at: time }] },
	[`GET ${at}/merge_requests/1/reviewers`]: [],
	[`GET ${at}/merge_requests/1/versions`]: [{ head_commit_sha: head, created_at: time }],
	[`GET ${at}/merge_requests/1/diffs`]: [{ new_path: "a.ts", diff: "+a\n-b\n" }],
	[`GET ${at}/merge_requests`]: [],
	[`POST ${at}/merge_requests`]: request,
	[`PUT ${at}/merge_requests/1/merge`]: { ...request, state: "merged", merge_commit_sha: merged },
};

export const gitlab: Subject = {
	name: "gitlab",
	operations: gitOperations(
		({ origin, token, outbound }) =>
			new GitLab({ name: "evil", base_url: origin, token, orgs: [], outbound, isConfigured: false }),
	),
	start: () => CannedServer.start(answers),
};
