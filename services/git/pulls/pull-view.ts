/** Shows pull requests to clients. Pure. */
import type { PullRequestView, ReviewStatus } from "#shared/contracts/git/pulls.ts";
import type { CiStatus, PullEvidence, PullRequest, ReviewEvidence } from "../providers/git-provider.ts";

/** The members beside those that the provider tells of the pull request itself. */
export interface Shown {
	readonly repo_url: string;
	readonly provider: string;
	readonly session_id: string | null;
	readonly ci_status?: CiStatus | null;
	readonly review_status?: ReviewStatus | null;
}

export function pullView(pull: PullRequest, shown: Shown): PullRequestView {
	const { number, title, url, source_branch, target_branch, status, description, created_at, updated_at } = pull;
	const { head_sha, mergeable, draft } = pull;
	const { repo_url, provider, session_id, ci_status = null, review_status = null } = shown;
	return {
		number,
		title,
		url,
		repo_url,
		provider,
		source_branch,
		target_branch,
		status,
		description,
		ci_status,
		review_status,
		created_at,
		updated_at,
		head_sha,
		mergeable,
		draft,
		session_id,
	};
}

/**
 * Returns the verdict of the reviews: the last word of each reviewer counts, and the author's own does not. An approval
 * counts for the commit that was reviewed.
 */
export function reviewStatus({ reviews, author, head_sha, more }: PullEvidence): ReviewStatus {
	const last = new Map<string, ReviewEvidence>();
	for (const review of reviews)
		if (review.state !== "commented" && review.author !== author) last.set(review.author, review);
	const verdicts = [...last.values()];
	if (verdicts.some(({ state }) => state === "changes_requested")) return "changes_requested";
	if (more) return "unknown";
	const isApproved = verdicts.some(
		({ state, commit }) => state === "approved" && (commit === null || commit === head_sha),
	);
	return isApproved ? "approved" : "pending";
}
