/** The parts of GitLab's answers that are used, with their checks. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { objectReader } from "#shared/net/outbound/provider-client.ts";
import type { Commit, PullRequest } from "../../providers/git-provider.ts";
import { absent, flag, long, readAs, orNull, page, pageReader, readEachAs, sha, text, time } from "../answer-fields.ts";

const id = { type: "number", integer: true, min: 1, max: Number.MAX_SAFE_INTEGER } as const;
const person = { type: "object", props: { username: text } } as const;

export const readUser = readAs(objectReader({ username: text }), ({ username }) => username);

const project = schema({
	path: text,
	path_with_namespace: text,
	web_url: page,
	http_url_to_repo: { ...page, ...absent },
	default_branch: { ...text, ...absent },
});
export const readProject = readAs(objectReader(project), repositoryOf);
export const readProjects = readEachAs(pageReader(project), repositoryOf);

const branch = schema({ name: text, commit: { type: "object", props: { id: sha } } });
export const readBranch = objectReader(branch);
export const readBranches = readEachAs(pageReader(branch), ({ name }) => name);

const commit = schema({ id: sha, message: long, committed_date: time, web_url: page });
export const readCommit = objectReader(commit);
export const readCommits = readEachAs(pageReader(commit), commitOf);

/** The newest commit that two branches share. */
export const readBase = objectReader({ id: sha });

const pipeline = schema({
	id,
	status: text,
	sha: { ...text, ...absent },
	ref: { ...text, ...absent },
	web_url: { ...page, ...absent },
	created_at: { ...time, ...absent },
	updated_at: { ...time, ...absent },
});
export const readPipelines = pageReader(pipeline);
export type GitLabPipeline = ReturnType<typeof readPipelines>[number];

const mergeRequest = schema({
	iid: id,
	title: text,
	description: { ...long, ...absent },
	state: text,
	web_url: page,
	source_branch: text,
	target_branch: text,
	/** A fork that was deleted is null. */
	source_project_id: { ...id, ...absent },
	target_project_id: { ...id, ...absent },
	sha: { ...sha, ...absent },
	draft: flag,
	merge_status: { ...text, ...absent },
	detailed_merge_status: { ...text, ...absent },
	has_conflicts: flag,
	author: { ...person, ...absent },
	created_at: { ...time, ...absent },
	updated_at: { ...time, ...absent },
	merge_commit_sha: { ...sha, ...absent },
	squash_commit_sha: { ...sha, ...absent },
	merged_at: { ...time, ...absent },
	head_pipeline: { type: "object", props: pipeline, ...absent },
});
export const readMergeRequest = objectReader(mergeRequest);
export const readMergeRequests = pageReader(mergeRequest);
export type GitLabMergeRequest = ReturnType<typeof readMergeRequest>;

const status = schema({
	name: text,
	status: text,
	target_url: { ...text, ...absent },
	created_at: { ...time, ...absent },
	finished_at: { ...time, ...absent },
	allow_failure: flag,
});
export const readStatuses = pageReader(status);
export type GitLabStatus = ReturnType<typeof readStatuses>[number];

export const readApprovals = objectReader({
	approved_by: {
		type: "array",
		max: 1_000,
		items: { type: "object", props: { user: person, approved_at: { ...time, ...absent } } },
	},
});
export type GitLabApprovals = ReturnType<typeof readApprovals>;

export const readReviewers = pageReader({ user: person, state: text, created_at: { ...time, ...absent } });
export type GitLabReviewer = ReturnType<typeof readReviewers>[number];

export const readVersions = pageReader({ head_commit_sha: sha, created_at: time });
export type GitLabVersion = ReturnType<typeof readVersions>[number];

export const readDiffs = pageReader({
	new_path: text,
	old_path: { ...text, ...absent },
	diff: { type: "string", ...absent },
	collapsed: flag,
	too_large: flag,
});
export type GitLabDiff = ReturnType<typeof readDiffs>[number];

function repositoryOf(one: Output<typeof project>): Repository {
	const { path, path_with_namespace, web_url, http_url_to_repo, default_branch } = one;
	return {
		provider: "gitlab",
		org: path_with_namespace.slice(0, Math.max(0, path_with_namespace.length - path.length - 1)),
		name: path,
		url: web_url,
		clone_url: http_url_to_repo ?? `${web_url}.git`,
		default_branch: default_branch ?? "main",
		branches: [default_branch ?? "main"],
	};
}

function commitOf({ id: commitId, message, committed_date, web_url }: Output<typeof commit>): Commit {
	return { sha: commitId, message, at: committed_date, url: web_url };
}

/** A draft is known by its title. */
const draftPrefix = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

export function draftTitle(title: string): string {
	return draftPrefix.test(title) ? title : `Draft: ${title}`;
}

export function pullOf(one: GitLabMergeRequest): PullRequest {
	const status = stateOf(one);
	return {
		number: one.iid,
		title: one.draft === true ? one.title.replace(draftPrefix, "") : one.title,
		url: one.web_url,
		source_branch: one.source_branch,
		...(one.source_project_id !== one.target_project_id && { is_from_fork: true }),
		target_branch: one.target_branch,
		status,
		description: one.description ?? "",
		head_sha: one.sha ?? "",
		mergeable: mergeability(one),
		draft: one.draft ?? false,
		author: orNull(one.author?.username),
		created_at: orNull(one.created_at),
		updated_at: orNull(one.updated_at),
		...(status === "merged" ? mergeOf(one) : { merge_sha: null }),
	};
}

/** A fast-forward makes no commit: the end of the source branch is then the end of the target branch. */
function mergeOf(one: GitLabMergeRequest): Pick<PullRequest, "merge_sha" | "merged_at"> {
	return {
		merge_sha: orNull(one.merge_commit_sha ?? one.squash_commit_sha ?? one.sha),
		merged_at: orNull(one.merged_at),
	};
}

/** While it is being merged it is `locked`. */
function stateOf({ state }: GitLabMergeRequest): PullRequest["status"] {
	return state === "merged" || state === "closed" ? state : "open";
}

/** GitLab finds out in the background whether the branches can be merged. */
const undecided = new Set([
	"approvals_syncing",
	"checking",
	"preparing",
	"unchecked",
	"cannot_be_merged_recheck",
	"cannot_be_merged_rechecking",
]);

/** Whether GitLab would merge it now; null while it has not found out. */
export function mergeability(one: GitLabMergeRequest): boolean | null {
	if (stateOf(one) !== "open") return false;
	const word = mergeWord(one);
	return undecided.has(word) ? null : word === "mergeable" || word === "can_be_merged";
}

/** Whether somebody has to edit files before it can be merged. */
export function hasConflict(one: GitLabMergeRequest): boolean {
	return one.has_conflicts === true || mergeWord(one) === "conflict";
}

/** GitLab's own word for why it would not merge, such as `draft_status`; older servers have no more than `merge_status`. */
export function mergeWord({ detailed_merge_status, merge_status }: GitLabMergeRequest): string {
	return detailed_merge_status ?? merge_status ?? "";
}
