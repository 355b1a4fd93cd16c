/**
 * The port of git hosts: what the platform asks of GitHub, GitLab and Gitea. An adapter is the class `Provider` in
 * `services/git/git-providers/<type>/<type>.ts`; `test/contract/git/git-provider.contract.ts` is its suite.
 */
import type { GitProviderType, Repository } from "#shared/contracts/git/repositories.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import type { OperationBounds } from "#shared/net/outbound/outbound-fetch.ts";
import type { Webhooks } from "./webhooks.ts";

export interface RepositoryPlace {
	/** The organization, group or user; groups of GitLab have a `/` before their sub-groups. */
	readonly owner: string;
	readonly name: string;
}

export type PullState = "open" | "merged" | "closed";
export type CiStatus = "passing" | "failing" | "pending" | "unknown";
export type MergeMethod = "merge" | "squash" | "rebase";

export interface PullRequest {
	readonly number: number;
	readonly title: string;
	readonly url: string;
	readonly source_branch: string;
	/** The source branch is one of another repository (a fork), where anybody may give it any name. */
	readonly is_from_fork?: true;
	readonly target_branch: string;
	readonly status: PullState;
	readonly description: string;
	/** The commit at the end of the source branch. */
	readonly head_sha: string;
	/** Whether the provider could merge it now; null: it does not know yet. */
	readonly mergeable: boolean | null;
	readonly draft: boolean;
	readonly author: string | null;
	readonly created_at: string | null;
	readonly updated_at: string | null;
	/** The commit that the merge made; null when it is not merged or the provider does not say. */
	readonly merge_sha: string | null;
	/** The time of the merge; absent when it is not merged or the provider does not say. */
	readonly merged_at?: string | null;
}

export interface NewPullRequest {
	readonly title: string;
	readonly description: string;
	/** The source branch; it is in the same repository. */
	readonly head: string;
	/** The target branch. */
	readonly base: string;
	readonly labels: readonly string[];
	readonly draft: boolean;
}

/** One check of a commit, by its newest run. */
export interface CheckEvidence {
	readonly name: string;
	readonly state: CiStatus;
	readonly url: string | null;
	readonly at: string | null;
	/** It passed without running, so that it proves nothing. */
	readonly is_skipped?: true;
}

/** One review; all of them are told, the newest last. */
export interface ReviewEvidence {
	readonly author: string;
	readonly state: "approved" | "changes_requested" | "commented" | "dismissed" | "pending";
	readonly url: string | null;
	readonly at: string | null;
	/** The commit that was reviewed; null when the provider does not say. */
	readonly commit: string | null;
	/** The provider says that the reviewer has no part in the repository: in public ones everybody may approve. */
	readonly is_outsider?: true;
}

/** The additions and deletions are counts of lines. */
export interface FileEvidence {
	readonly path: string;
	/** The path before the change, of a file that was moved. */
	readonly previous_path?: string;
	readonly additions: number;
	readonly deletions: number;
}

/** The evidence about a pull request, at one head. */
export interface PullEvidence {
	readonly head_sha: string;
	readonly target_branch: string;
	readonly author: string | null;
	readonly mergeable: boolean | null;
	readonly checks: readonly CheckEvidence[];
	readonly reviews: readonly ReviewEvidence[];
	readonly files: readonly FileEvidence[];
	/** Whether there are more checks, reviews or files than were read. */
	readonly more: boolean;
}

/** `at` is the time of the commit as ISO 8601. */
export interface Commit {
	readonly sha: string;
	readonly message: string;
	readonly at: string;
	readonly url: string;
}

export interface MergeRequest {
	readonly method: MergeMethod;
	/** The provider merges only when the source branch ends with this commit. */
	readonly expected_head: string;
}

/**
 * One account at one git host. Every method is one operation with one budget of calls and time. All throw the errors of
 * `shared/net/outbound/provider-errors.ts`.
 */
export interface GitProvider {
	/** The name that the configuration or the connection gives it. */
	readonly name: string;
	readonly type: GitProviderType;
	/** Absent: the host sends none that are understood. */
	readonly webhooks?: Webhooks;
	/** The organizations that it is for; empty: no restriction is named. */
	readonly orgs: readonly string[];
	/** The host of its web pages and of git, with the port unless it is the usual one. */
	readonly host: string;
	/** The place that a URL names, in any form that git takes; undefined when it is at another host. Pure. */
	placeOf(url: string): RepositoryPlace | undefined;
	/** The account of the credential: the test of a connection. */
	whoAmI(): Promise<{ user: string; workspace: string | null }>;
	repository(place: RepositoryPlace): Promise<Repository>;
	/** The repositories of an organization, group or user, at most {@link maxRepositories}. */
	repositories(org: string): Promise<Repository[]>;
	/** Names of branches, at most {@link maxBranches}. */
	branches(place: RepositoryPlace): Promise<string[]>;
	openPull(place: RepositoryPlace, pull: NewPullRequest): Promise<PullRequest>;
	/** The open pull request of these branches of the repository; one of a fork is none. */
	pullOf(place: RepositoryPlace, branches: { head: string; base: string }): Promise<PullRequest | undefined>;
	/** @throws {NotFoundError} */
	pull(place: RepositoryPlace, number: number): Promise<PullRequest>;
	/** The pull requests, newest first, at most 100. */
	pulls(place: RepositoryPlace, status: PullState | "all"): Promise<PullRequest[]>;
	/**
	 * Merges. @throws {ConflictError} `PULL_CONFLICT` (the branches conflict), `PULL_NOT_MERGEABLE` (a rule of the
	 * repository or its state forbids it), `PULL_HEAD_MOVED` (there are newer commits).
	 */
	mergePull(place: RepositoryPlace, number: number, merge: MergeRequest): Promise<{ sha: string }>;
	/** The sum of statuses and check runs of a branch or commit. */
	ciStatus(place: RepositoryPlace, ref: string): Promise<CiStatus>;
	evidence(place: RepositoryPlace, number: number): Promise<PullEvidence>;
	/** The commits of a branch since a time (ISO 8601), newest first, at most {@link maxCommits}. */
	commitsSince(place: RepositoryPlace, branch: string, since: string): Promise<Commit[]>;
	/** User and password for git over https. */
	gitCredential(): { username: string; password: string };
}

export const gitProviderMethods = [
	"placeOf",
	"whoAmI",
	"repository",
	"repositories",
	"branches",
	"openPull",
	"pullOf",
	"pull",
	"pulls",
	"mergePull",
	"ciStatus",
	"evidence",
	"commitsSince",
	"gitCredential",
] as const satisfies readonly (keyof GitProvider)[];

/** The most items of lists of providers; longer ones are cut. */
export const maxRepositories = 1_000;
export const maxBranches = 2_000;
export const maxCommits = 300;
/** The most files, checks and reviews of one pull request that are looked at. */
export const maxEvidence = 300;

/** The types of the conflicts of a merge. */
export const pullConflict = "PULL_CONFLICT";
export const pullNotMergeable = "PULL_NOT_MERGEABLE";
export const pullHeadMoved = "PULL_HEAD_MOVED";

/** The argument of every adapter's constructor. */
export interface GitProviderOptions {
	readonly name: string;
	/** The address of the API, or of the host where the adapter knows the path of the API; absent: the hosted service. */
	readonly base_url?: string | undefined;
	/** Empty: only what everybody may see. */
	readonly token: string;
	readonly orgs: readonly string[];
	readonly outbound: Pick<Outbound, "send">;
	/** Whether `base_url` is of the platform's configuration and not of a user's connection. */
	readonly isConfigured: boolean;
	/** The bounds of every operation; absent: those of `outboundFetch`, and what an operation needs beyond. */
	readonly bounds?: Partial<OperationBounds> | undefined;
}
