/** Shows pull requests to clients. Pure. */
import type { PullRequestView, ReviewStatus } from "#shared/contracts/git/pulls.ts";
import type { CiStatus, PullEvidence, PullRequest } from "../providers/git-provider.ts";
import { reviewVerdict, standingReviews } from "../reviews/standing-reviews.ts";

/** The members beside those that the provider tells of the pull request itself. */
interface Shown {
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

/** Returns the verdict of the reviews, by the rules of merge confidence. */
export function reviewStatus({ reviews, author, head_sha, more }: PullEvidence): ReviewStatus {
	const reviewed = { head: head_sha, author: author ?? "", more };
	const verdict = reviewVerdict(standingReviews(reviews, reviewed), reviewed);
	return verdict === "pending" && more ? "unknown" : verdict;
}
