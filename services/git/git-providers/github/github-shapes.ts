/** The parts of GitHub's answers that are used, with their checks. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { objectReader } from "#shared/net/outbound/provider-client.ts";
import type { CheckEvidence, CiStatus, Commit, PullRequest, ReviewEvidence } from "../../providers/git-provider.ts";
import { absent, count, readIn, page, pageReader, readEachAs, sha, text, time } from "../answer-fields.ts";
import { person } from "../github-api.ts";
import { webUrl } from "../web-url.ts";

const maybePage = { ...text, ...absent } as const;
const maybeTime = { ...time, ...absent } as const;
const maybe = { ...text, ...absent } as const;
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

const status = schema({ context: text, state: text, target_url: maybePage, updated_at: maybeTime });
export const readStatuses = readIn("statuses", readEachAs(pageReader(status), checkOfStatus));

function checkOfStatus({ context, state, target_url, updated_at }: Output<typeof status>): CheckEvidence {
	return { name: context, state: statuses[state] ?? "unknown", url: webUrl(target_url), at: timeOf(updated_at) };
}

const statuses: Readonly<Record<string, CiStatus>> = {
	success: "passing",
	failure: "failing",
	error: "failing",
	pending: "pending",
};

const checkRun = schema({
	name: text,
	status: text,
	conclusion: maybe,
	html_url: maybePage,
	completed_at: maybeTime,
	started_at: maybeTime,
});
export const readRuns = readIn("check_runs", readEachAs(pageReader(checkRun), checkOfRun));

function checkOfRun(run: Output<typeof checkRun>): CheckEvidence {
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

const review = schema({
	user: person,
	state: text,
	html_url: maybePage,
	submitted_at: maybeTime,
	commit_id: maybe,
	author_association: maybe,
});
export const readReviews = readEachAs(pageReader(review), reviewOf);

function reviewOf(one: Output<typeof review>): ReviewEvidence {
	return {
		author: one.user?.login ?? "",
		state: reviewStates[one.state] ?? "commented",
		url: webUrl(one.html_url),
		at: timeOf(one.submitted_at),
		commit: one.commit_id ?? null,
		...(one.author_association && !insiders.has(one.author_association) && { is_outsider: true }),
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

const committer = { type: "object", props: { date: maybeTime }, ...absent } as const;
const commit = schema({
	sha,
	html_url: page,
	commit: { type: "object", props: { message: { type: "string", max: 1_000_000 }, committer } },
});
export const readCommits = readEachAs(pageReader(commit), commitOf);

function commitOf({ sha: id, html_url, commit: { message, committer } }: Output<typeof commit>): Commit {
	return { sha: id, message, at: timeOf(committer?.date) ?? "", url: html_url };
}

function timeOf(value: string | null | undefined): string | null {
	const date = value ? new Date(value) : undefined;
	return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
