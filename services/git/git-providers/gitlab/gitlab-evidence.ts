/** Reads the evidence about a commit and a merge request: pipelines and statuses, approvals and reviewers, files. */
import type { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import {
	type CheckEvidence,
	type CiStatus,
	type FileEvidence,
	maxEvidence,
	type PullEvidence,
	type RepositoryPlace,
	type ReviewEvidence,
} from "../../providers/git-provider.ts";
import { pullEvidence, unlessHidden } from "../pull-evidence.ts";
import type { SomeChecks } from "../sum-of-checks.ts";
import { webUrl } from "../web-url.ts";
import { projectPath, requestPath } from "./gitlab-paths.ts";
import { settledRequest } from "./gitlab-pulls.ts";
import {
	type GitLabApprovals,
	type GitLabDiff,
	type GitLabMergeRequest,
	type GitLabPipeline,
	type GitLabReviewer,
	type GitLabStatus,
	type GitLabVersion,
	pullOf,
	readApprovals,
	readDiffs,
	readCommit,
	readPipelines,
	readReviewers,
	readStatuses,
	readVersions,
} from "./gitlab-shapes.ts";

const pageSize = 100;
/** Each file of a page may have 200 KB of changes, and an answer 5 MiB. */
const filesOfPage = 20;

/** The states of jobs, of statuses that others set, and of pipelines. */
const states: Readonly<Record<string, CiStatus>> = {
	success: "passing",
	failed: "failing",
	canceled: "failing",
	canceling: "failing",
	created: "pending",
	pending: "pending",
	preparing: "pending",
	running: "pending",
	scheduled: "pending",
	waiting_for_resource: "pending",
	waiting_for_callback: "pending",
};

export async function checksOfRef(client: ProviderClient, at: RepositoryPlace, ref: string): Promise<SomeChecks> {
	const path = `${projectPath(at)}/repository/commits/${encodeURIComponent(ref)}`;
	return checksOf(client, at, client.read(readCommit, await client.get(path)).id);
}

/** Returns the newest statuses of a commit, which include the jobs of its pipelines, and its newest pipeline. */
async function checksOf(
	client: ProviderClient,
	at: RepositoryPlace,
	sha: string,
	ofRequest: readonly GitLabPipeline[] = [],
): Promise<SomeChecks> {
	const path = `${projectPath(at)}/repository/commits/${sha}/statuses`;
	const statuses = await client.list({ path, reader: readStatuses, most: maxEvidence });
	const query = { sha, order_by: "id", sort: "desc", per_page: 1 };
	const newest = await client.send({ path: `${projectPath(at)}/pipelines`, query, expected: [403] });
	const known = newest.status === 403 ? [] : client.read(readPipelines, newest.json);
	const pipelines = [...ofRequest, ...known.filter(({ id }) => ofRequest.every((other) => other.id !== id))];
	return { checks: [...statuses.items.flatMap(checkOfStatus), ...pipelines.map(checkOfPipeline)], more: statuses.more };
}

/**
 * Jobs that were left out and jobs that may fail are left to their pipeline: GitLab counts them there as its project
 * wants it.
 */
function checkOfStatus(one: GitLabStatus): CheckEvidence[] {
	const { name, status, target_url, finished_at, created_at } = one;
	if (isLeftOut(one)) return [];
	return [{ name, state: states[status] ?? "unknown", url: webUrl(target_url), at: finished_at ?? created_at ?? null }];
}

function isLeftOut({ status, allow_failure }: GitLabStatus): boolean {
	return status === "skipped" || status === "manual" || (status === "failed" && allow_failure === true);
}

/** A pipeline that was skipped has checked nothing, which an agent can bring about by its commit's message. */
function checkOfPipeline({ id, status, web_url, updated_at }: GitLabPipeline): CheckEvidence {
	const state = status === "manual" ? "pending" : (states[status] ?? "unknown");
	return { name: `pipeline ${id}`, state, url: web_url ?? null, at: updated_at ?? null };
}

export async function evidenceOf(client: ProviderClient, at: RepositoryPlace, number: number): Promise<PullEvidence> {
	const request = await settledRequest(client, at, number);
	const pull = pullOf(request);
	const { head_sha } = pull;
	const versions = await versionsOf(client, at, number);
	const [ci, reviews, files] = await Promise.all([
		head_sha === "" ? { checks: [], more: false } : checksOf(client, at, head_sha, pipelinesOf(request, versions)),
		reviewsOf(client, at, { request, versions }),
		filesOf(client, at, number),
	]);
	return pullEvidence(pull, { checks: ci.checks, reviews, files: files.files, more: ci.more || files.more });
}

/** The refs of pipelines that check what a merge would give; their commit is in no branch. */
const mergeRefs = /^refs\/merge-requests\/\d+\/(?:merge|train)$/;

/**
 * Returns the pipeline of a merge request when it is of its head. GitLab goes on naming that of an older commit when none
 * was made for a newer one, so that it says nothing about the head.
 */
export function pipelinesOf(
	{ sha, head_pipeline: pipeline }: Pick<GitLabMergeRequest, "sha" | "head_pipeline">,
	versions: readonly GitLabVersion[],
): GitLabPipeline[] {
	if (!sha || !pipeline) return [];
	if (pipeline.sha === sha) return [pipeline];
	const pushed = versions.filter(({ head_commit_sha }) => head_commit_sha === sha);
	const since = Math.max(...pushed.map(({ created_at }) => Date.parse(created_at)));
	const isLater = pushed.length > 0 && Date.parse(pipeline.created_at ?? "") >= since;
	return isLater && mergeRefs.test(pipeline.ref ?? "") ? [pipeline] : [];
}

/** Returns the pushes to the source branch; none when the token may not see them. */
async function versionsOf(client: ProviderClient, at: RepositoryPlace, number: number): Promise<GitLabVersion[]> {
	const found = await client.get(`${requestPath(at, number)}/versions`, { per_page: pageSize }).catch(unlessHidden);
	return found === undefined ? [] : client.read(readVersions, found);
}

interface PushedRequest {
	readonly request: GitLabMergeRequest;
	readonly versions: readonly GitLabVersion[];
}

/** A token that may not see approvals sees none, so that nothing is taken for approved. */
async function reviewsOf(
	client: ProviderClient,
	at: RepositoryPlace,
	{ request, versions }: PushedRequest,
): Promise<ReviewEvidence[]> {
	const path = requestPath(at, request.iid);
	const [approvals, reviewers] = await Promise.all([
		client.get(`${path}/approvals`).catch(unlessHidden),
		client.get(`${path}/reviewers`).catch(unlessHidden),
	]);
	return reviewsFrom({
		approvals: approvals === undefined ? { approved_by: [] } : client.read(readApprovals, approvals),
		reviewers: reviewers === undefined ? [] : client.read(readReviewers, reviewers),
		versions,
		url: request.web_url,
	});
}

/** All that GitLab tells about who has looked at a merge request. */
interface GitLabReviews {
	readonly approvals: GitLabApprovals;
	readonly reviewers: readonly GitLabReviewer[];
	/** The pushes to the source branch. */
	readonly versions: readonly GitLabVersion[];
	readonly url: string;
}

/** The states of reviewers who have not approved. */
const reviewStates: Readonly<Record<string, ReviewEvidence["state"]>> = {
	requested_changes: "changes_requested",
	review_started: "pending",
	reviewed: "commented",
	unreviewed: "pending",
};

/**
 * Returns the reviews, the newest last. GitLab does not say of which commit an approval is: it is the newest one that was
 * pushed before. Where the time of the approval is not told (older servers), the commit is unknown.
 */
export function reviewsFrom({ approvals, reviewers, versions, url }: GitLabReviews): ReviewEvidence[] {
	const approved = approvals.approved_by.map(({ user, approved_at }): ReviewEvidence => {
		const at = approved_at ?? null;
		return { author: user.username, state: "approved", url, at, commit: commitAt(versions, at) };
	});
	const approvers = new Set(approved.map(({ author }) => author));
	const others = reviewers.flatMap(({ user, state, created_at }): ReviewEvidence[] => {
		const known = reviewStates[state];
		// Somebody who approved and wants changes since then is both: whoever reads this decides.
		if (known === undefined || (approvers.has(user.username) && known !== "changes_requested")) return [];
		// The time of a reviewer is the one at which the review was asked for; that of the answer is not told.
		const at = known === "changes_requested" ? null : (created_at ?? null);
		return [{ author: user.username, state: known, url, at, commit: null }];
	});
	return [...approved.toSorted((a, b) => (a.at ?? "").localeCompare(b.at ?? "")), ...others];
}

function commitAt(versions: readonly GitLabVersion[], at: string | null): string | null {
	const time = Date.parse(at ?? "");
	const before = versions.filter(({ created_at }) => Date.parse(created_at) <= time);
	return before.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at)).at(0)?.head_commit_sha ?? null;
}

async function filesOf(
	client: ProviderClient,
	at: RepositoryPlace,
	number: number,
): Promise<{ files: FileEvidence[]; more: boolean }> {
	const path = `${requestPath(at, number)}/diffs`;
	const query = { per_page: filesOfPage };
	const { items, more } = await client.list({ path, query, reader: readDiffs, most: maxEvidence });
	return { files: items.map(fileOf), more: more || items.some(isCut) };
}

/**
 * Whether the lines of a file were not sent, because they are too many: then its size is not known. A GitLab before 18.4
 * does not say so; there, a file without any lines may be such a one.
 */
export function isCut({ collapsed, too_large, diff }: GitLabDiff): boolean {
	if (collapsed === true || too_large === true) return true;
	return typeof too_large !== "boolean" && !diff;
}

/** Counts the lines of a diff, which has no heads of files. */
export function fileOf({ new_path, old_path, diff }: GitLabDiff): FileEvidence {
	const lines = (diff ?? "").split("\n");
	const additions = lines.filter((line) => line.startsWith("+")).length;
	const deletions = lines.filter((line) => line.startsWith("-")).length;
	return {
		path: new_path,
		additions,
		deletions,
		...(old_path && old_path !== new_path && { previous_path: old_path }),
	};
}
