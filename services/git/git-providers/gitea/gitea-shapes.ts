/** The parts of Gitea's answers that are used, with their checks. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { objectReader, type Reader } from "#shared/net/outbound/provider-client.ts";
import type { CheckEvidence, CiStatus, Commit, PullRequest, ReviewEvidence } from "../../providers/git-provider.ts";
import {
	absent,
	count,
	flag,
	long,
	mostOfPage,
	orNull,
	page,
	pageReader,
	readEachAs,
	sha,
	text,
	time,
} from "../answer-fields.ts";
import { person } from "../github-api.ts";
import { webUrl } from "../web-url.ts";

export const readLabels = pageReader({ id: count, name: text });
export const readLabel = objectReader({ id: count });

const end = {
	type: "object",
	props: {
		ref: text,
		sha: { type: "string", pattern: "^([0-9a-f]{40,64})?$" },
		/** That of a fork that was deleted is another one, too. */
		repo_id: { type: "number", integer: true, ...absent },
	},
} as const;
const pull = schema({
	number: { ...count, min: 1 },
	title: text,
	html_url: page,
	state: text,
	body: { ...long, ...absent },
	head: end,
	base: end,
	draft: flag,
	merged: flag,
	mergeable: flag,
	merge_commit_sha: { ...sha, ...absent },
	merged_at: { ...time, ...absent },
	user: person,
	created_at: { ...time, ...absent },
	updated_at: { ...time, ...absent },
});
export const readPull = objectReader(pull);
export const readPulls = pageReader(pull);
export type GiteaPull = ReturnType<typeof readPull>;

/** A draft is known by its title. */
const draftPrefix = /^\s*(?:\[wip\]|wip:)\s*/i;

export function draftTitle(title: string): string {
	return draftPrefix.test(title) ? title : `WIP: ${title}`;
}

export function pullOf(one: GiteaPull): PullRequest {
	const status = stateOf(one);
	return {
		number: one.number,
		title: one.draft === true ? one.title.replace(draftPrefix, "") : one.title,
		url: one.html_url,
		source_branch: one.head.ref,
		...(one.head.repo_id !== one.base.repo_id && { is_from_fork: true }),
		target_branch: one.base.ref,
		status,
		description: one.body ?? "",
		head_sha: one.head.sha,
		mergeable: mergeability(one),
		draft: one.draft ?? false,
		author: orNull(one.user?.login),
		created_at: orNull(one.created_at),
		updated_at: orNull(one.updated_at),
		...(status === "merged" ? mergeOf(one) : { merge_sha: null }),
	};
}

function mergeOf({ merge_commit_sha, merged_at }: GiteaPull): Pick<PullRequest, "merge_sha" | "merged_at"> {
	return { merge_sha: orNull(merge_commit_sha), merged_at: orNull(merged_at) };
}

function stateOf({ merged, state }: GiteaPull): PullRequest["status"] {
	if (merged === true) return "merged";
	return state === "closed" ? "closed" : "open";
}

/**
 * Whether Gitea would merge it now. It says false for conflicts and also until it has looked for them, so a single false
 * says nothing: null.
 */
export function mergeability({ state, merged, mergeable, draft }: GiteaPull): boolean | null {
	if (state !== "open" || merged === true || draft === true) return false;
	return mergeable === true ? true : null;
}

/** The states of statuses. A warning counts as a failure for Gitea too. */
const states: Readonly<Record<string, CiStatus>> = {
	success: "passing",
	failure: "failing",
	error: "failing",
	warning: "failing",
	pending: "pending",
};

const readCombined = objectReader({
	statuses: {
		type: "array",
		max: mostOfPage,
		...absent,
		items: {
			type: "object",
			props: { context: text, status: text, target_url: { ...text, ...absent }, updated_at: { ...time, ...absent } },
		},
	},
});

type GiteaStatus = NonNullable<ReturnType<typeof readCombined>["statuses"]>[number];

/** Reads the newest status of each name, which Gitea sends inside their sum. */
export const readStatuses: Reader<GiteaStatus[]> = (value, ask) => readCombined(value, ask).statuses ?? [];

/** A check that was skipped says neither that all is well nor that it is not. */
export function checkOf({ context, status, target_url, updated_at }: GiteaStatus): CheckEvidence[] {
	if (status === "skipped") return [];
	return [{ name: context, state: states[status] ?? "unknown", url: webUrl(target_url), at: updated_at ?? null }];
}

export const readReviews = pageReader({
	user: person,
	state: text,
	commit_id: { ...text, ...absent },
	dismissed: flag,
	official: flag,
	html_url: { ...text, ...absent },
	submitted_at: { ...time, ...absent },
});

type GiteaReview = ReturnType<typeof readReviews>[number];

const reviewStates: Readonly<Record<string, ReviewEvidence["state"]>> = {
	APPROVED: "approved",
	REQUEST_CHANGES: "changes_requested",
	COMMENT: "commented",
	PENDING: "pending",
	REQUEST_REVIEW: "pending",
};

export function reviewOf(one: GiteaReview): ReviewEvidence[] {
	const state = reviewStates[one.state];
	if (state === undefined) return [];
	return [
		{
			author: one.user?.login ?? "",
			state: one.dismissed === true ? "dismissed" : counted(state, one),
			url: webUrl(one.html_url),
			at: one.submitted_at ?? null,
			commit: one.commit_id || null,
		},
	];
}

/** Anybody who can read a repository may approve; Gitea calls official only those who may write, or whom a rule names. */
function counted(state: ReviewEvidence["state"], { official }: GiteaReview): ReviewEvidence["state"] {
	return state === "approved" && official !== true ? "commented" : state;
}

const commit = schema({
	sha,
	html_url: page,
	created: { ...time, ...absent },
	commit: {
		type: "object",
		props: { message: long, committer: { type: "object", props: { date: time }, ...absent } },
	},
});
export const readCommits = readEachAs(pageReader(commit), commitOf);

function commitOf({ sha: id, html_url, created, commit: { message, committer } }: Output<typeof commit>): Commit {
	return { sha: id, message, at: committer?.date ?? created ?? "", url: html_url };
}
