/** The parts of GitHub's answers that are used, with their checks. */
import { schema } from "#shared/base/schema/schema.ts";
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { objectReader } from "#shared/net/outbound/provider-client.ts";
import type {
	CheckEvidence,
	CiStatus,
	Commit,
	FileEvidence,
	PullRequest,
	ReviewEvidence,
} from "../../providers/git-provider.ts";
import { absent, count, page, pageReader, sha, text, time } from "../answer-fields.ts";
import { webUrl } from "../web-url.ts";

const maybePage = { ...text, ...absent } as const;
const maybeTime = { ...time, ...absent } as const;
const maybe = { ...text, ...absent } as const;
const person = { type: "object", props: { login: text }, ...absent } as const;

export const readUser = objectReader({ login: text });

const repository = schema({
	name: text,
	owner: { type: "object", props: { login: text } },
	html_url: page,
	clone_url: { ...page, optional: true },
	default_branch: { ...text, optional: true },
});
export const readRepository = objectReader(repository);
export const readRepositories = pageReader(repository);

export function repositoryOf({
	name,
	owner,
	html_url,
	clone_url,
	default_branch,
}: ReturnType<typeof readRepository>): Repository {
	return {
		provider: "github",
		org: owner.login,
		name,
		url: html_url,
		clone_url: clone_url ?? `${html_url}.git`,
		default_branch: default_branch ?? "main",
		branches: [default_branch ?? "main"],
	};
}

export const readBranches = pageReader({ name: text });

/** A fork that was deleted is null. */
const home = { type: "object", props: { id: count }, ...absent } as const;
const end = { type: "object", props: { ref: text, sha, repo: home } } as const;
const pull = schema({
	number: { ...count, min: 1 },
	title: text,
	html_url: page,
	state: text,
	body: { type: "string", max: 1_000_000, ...absent },
	head: end,
	base: end,
	draft: { type: "boolean", optional: true },
	merged_at: maybeTime,
	mergeable: { type: "boolean", ...absent },
	mergeable_state: { ...text, optional: true },
	merge_commit_sha: maybe,
	user: person,
	created_at: maybeTime,
	updated_at: maybeTime,
});
export const readPull = objectReader(pull);
export const readPulls = pageReader(pull);
export type GitHubPull = ReturnType<typeof readPull>;

export function pullOf(one: GitHubPull): PullRequest {
	const isMerged = typeof one.merged_at === "string";
	return {
		number: one.number,
		title: one.title,
		url: one.html_url,
		source_branch: one.head.ref,
		...homeOf(one),
		target_branch: one.base.ref,
		status: isMerged ? "merged" : one.state === "open" ? "open" : "closed",
		description: one.body ?? "",
		head_sha: one.head.sha,
		mergeable: one.mergeable ?? null,
		draft: one.draft ?? false,
		author: one.user?.login ?? null,
		created_at: timeOf(one.created_at),
		updated_at: timeOf(one.updated_at),
		...mergeOf(one),
	};
}

function homeOf({ head, base }: GitHubPull): Pick<PullRequest, "is_from_fork"> {
	return head.repo?.id === base.repo?.id ? {} : { is_from_fork: true };
}

function mergeOf({ merged_at, merge_commit_sha }: GitHubPull): Pick<PullRequest, "merge_sha" | "merged_at"> {
	if (typeof merged_at !== "string") return { merge_sha: null };
	return { merge_sha: merge_commit_sha ?? null, merged_at: timeOf(merged_at) };
}

export const readMerge = objectReader({ sha, merged: { type: "boolean", optional: true } });

export const readStatuses = pageReader({ context: text, state: text, target_url: maybePage, updated_at: maybeTime });
export type GitHubStatus = ReturnType<typeof readStatuses>[number];

export function checkOfStatus({ context, state, target_url, updated_at }: GitHubStatus): CheckEvidence {
	return { name: context, state: statuses[state] ?? "unknown", url: webUrl(target_url), at: timeOf(updated_at) };
}

const statuses: Readonly<Record<string, CiStatus>> = {
	success: "passing",
	failure: "failing",
	error: "failing",
	pending: "pending",
};

export const readRuns = pageReader({
	name: text,
	status: text,
	conclusion: maybe,
	html_url: maybePage,
	completed_at: maybeTime,
	started_at: maybeTime,
});
export type GitHubRun = ReturnType<typeof readRuns>[number];

export function checkOfRun(run: GitHubRun): CheckEvidence {
	const state = run.status === "completed" ? (conclusions[run.conclusion ?? ""] ?? "unknown") : "pending";
	const at = timeOf(run.completed_at ?? run.started_at);
	const isSkipped = state === "passing" && run.conclusion !== "success";
	return { name: run.name, state, url: webUrl(run.html_url), at, ...(isSkipped && { is_skipped: true }) };
}

const conclusions: Readonly<Record<string, CiStatus>> = {
	success: "passing",
	neutral: "passing",
	skipped: "passing",
	failure: "failing",
	timed_out: "failing",
	cancelled: "failing",
	action_required: "failing",
	startup_failure: "failing",
};

export const readReviews = pageReader({
	user: person,
	state: text,
	html_url: maybePage,
	submitted_at: maybeTime,
	commit_id: maybe,
	author_association: maybe,
});

export function reviewOf(review: ReturnType<typeof readReviews>[number]): ReviewEvidence {
	return {
		author: review.user?.login ?? "",
		state: reviewStates[review.state] ?? "commented",
		url: webUrl(review.html_url),
		at: timeOf(review.submitted_at),
		commit: review.commit_id ?? null,
		...(review.author_association && !insiders.has(review.author_association) && { is_outsider: true }),
	};
}

const insiders = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

const reviewStates: Readonly<Record<string, ReviewEvidence["state"]>> = {
	APPROVED: "approved",
	CHANGES_REQUESTED: "changes_requested",
	COMMENTED: "commented",
	DISMISSED: "dismissed",
	PENDING: "pending",
};

export const readFiles = pageReader({ filename: text, previous_filename: maybe, additions: count, deletions: count });

export function fileOf(file: ReturnType<typeof readFiles>[number]): FileEvidence {
	const { filename, previous_filename, additions, deletions } = file;
	return { path: filename, additions, deletions, ...(previous_filename && { previous_path: previous_filename }) };
}

const committer = { type: "object", props: { date: maybeTime }, ...absent } as const;
export const readCommits = pageReader({
	sha,
	html_url: page,
	commit: { type: "object", props: { message: { type: "string", max: 1_000_000 }, committer } },
});

export function commitOf({ sha: id, html_url, commit }: ReturnType<typeof readCommits>[number]): Commit {
	return { sha: id, message: commit.message, at: timeOf(commit.committer?.date) ?? "", url: html_url };
}

function timeOf(value: string | null | undefined): string | null {
	const date = value ? new Date(value) : undefined;
	return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
