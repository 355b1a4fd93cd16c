/** Reads the evidence about a commit and a pull request: checks, reviews, files. */
import { sleep } from "#shared/base/clock.ts";
import { NotFoundError, UnauthorizedError } from "#shared/base/errors.ts";
import type { GitHubClient } from "#shared/net/github/github-client.ts";
import {
	type CheckEvidence,
	maxEvidence,
	type PullEvidence,
	type RepositoryPlace,
} from "../../providers/git-provider.ts";
import type { SomeChecks } from "../sum-of-checks.ts";
import { readOne, placeOf } from "./github-pulls.ts";
import {
	checkOfRun,
	checkOfStatus,
	fileOf,
	type GitHubPull,
	pullOf,
	readFiles,
	readReviews,
	readRuns,
	readStatuses,
	reviewOf,
} from "./github-shapes.ts";

/** GitHub computes whether a pull request can be merged when somebody asks; the wait before the next question. */
const computingMs = 500;
const maxAsks = 3;

/** Returns the newest statuses and check runs of a branch or commit. */
export async function checksOf(client: GitHubClient, at: RepositoryPlace, ref: string): Promise<SomeChecks> {
	const parameters = { ...placeOf(at), ref };
	const [statuses, runs] = await Promise.all([
		client.list("GET /repos/{owner}/{repo}/commits/{ref}/status", parameters, {
			reader: readStatuses,
			most: maxEvidence,
		}),
		client
			.list("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", parameters, { reader: readRuns, most: maxEvidence })
			.catch(unlessHidden),
	]);
	const hidden: CheckEvidence[] = runs ? [] : [{ name: "check runs", state: "unknown", url: null, at: null }];
	return {
		checks: [...statuses.items.map(checkOfStatus), ...(runs?.items ?? []).map(checkOfRun), ...hidden],
		more: statuses.more || (runs?.more ?? false),
	};
}

/** A token may read statuses and not check runs; then nobody knows whether all is well. */
function unlessHidden(error: unknown): undefined {
	if (!(error instanceof UnauthorizedError) && !(error instanceof NotFoundError)) throw error;
}

export async function evidenceOf(client: GitHubClient, at: RepositoryPlace, number: number): Promise<PullEvidence> {
	const pull = await settledPull(client, at, number);
	const parameters = { ...placeOf(at), pull_number: number };
	const [{ checks, more }, reviews, files] = await Promise.all([
		checksOf(client, at, pull.head.sha),
		client.list("GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews", parameters, {
			reader: readReviews,
			most: maxEvidence,
		}),
		client.list("GET /repos/{owner}/{repo}/pulls/{pull_number}/files", parameters, {
			reader: readFiles,
			most: maxEvidence,
		}),
	]);
	const { head_sha, target_branch, author, mergeable } = pullOf(pull);
	return {
		head_sha,
		target_branch,
		author,
		mergeable,
		checks,
		reviews: reviews.items.map(reviewOf),
		files: files.items.map(fileOf),
		more: more || reviews.more || files.more,
	};
}

/** Returns the pull request once GitHub knows whether it can be merged, or after a few questions. */
async function settledPull(client: GitHubClient, at: RepositoryPlace, number: number): Promise<GitHubPull> {
	for (let asked = 1; ; asked++) {
		const pull = await readOne(client, at, number);
		if (typeof pull.mergeable === "boolean" || pull.state !== "open" || asked === maxAsks) return pull;
		await sleep(computingMs);
	}
}
