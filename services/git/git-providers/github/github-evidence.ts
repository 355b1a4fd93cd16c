/** Reads the evidence about a commit and a pull request: checks, reviews, files. */
import { sleep } from "#shared/base/clock.ts";
import type { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import {
	type CheckEvidence,
	maxEvidence,
	type PullEvidence,
	type RepositoryPlace,
} from "../../providers/git-provider.ts";
import { pullPath, readFiles, repositoryPath } from "../github-api.ts";
import { pullEvidence, unlessHidden } from "../pull-evidence.ts";
import type { SomeChecks } from "../sum-of-checks.ts";
import { readOne } from "./github-pulls.ts";
import { type GitHubPull, pullOf, readReviews, readRuns, readStatuses } from "./github-shapes.ts";

/** GitHub computes whether a pull request can be merged when somebody asks; the wait before the next question. */
const computingMs = 500;
const maxAsks = 3;

/** Returns the newest statuses and check runs of a branch or commit. */
export async function checksOf(client: ProviderClient, at: RepositoryPlace, ref: string): Promise<SomeChecks> {
	const path = `${repositoryPath(at)}/commits/${encodeURIComponent(ref)}`;
	const [statuses, runs] = await Promise.all([
		client.list({ path: `${path}/status`, reader: readStatuses, most: maxEvidence }),
		// A token may read statuses and not check runs; then nobody knows whether all is well.
		client.list({ path: `${path}/check-runs`, reader: readRuns, most: maxEvidence }).catch(unlessHidden),
	]);
	const hidden: CheckEvidence[] = runs ? [] : [{ name: "check runs", state: "unknown", url: null, at: null }];
	return { checks: [...statuses.items, ...(runs?.items ?? hidden)], more: statuses.more || (runs?.more ?? false) };
}

export async function evidenceOf(client: ProviderClient, at: RepositoryPlace, number: number): Promise<PullEvidence> {
	const pull = await settledPull(client, at, number);
	const path = pullPath(at, number);
	const [{ checks, more }, reviews, files] = await Promise.all([
		checksOf(client, at, pull.head.sha),
		client.list({ path: `${path}/reviews`, reader: readReviews, most: maxEvidence }),
		client.list({ path: `${path}/files`, reader: readFiles, most: maxEvidence }),
	]);
	return pullEvidence(pullOf(pull), {
		checks,
		reviews: reviews.items,
		files: files.items,
		more: more || reviews.more || files.more,
	});
}

/** Returns the pull request once GitHub knows whether it can be merged, or after a few questions. */
async function settledPull(client: ProviderClient, at: RepositoryPlace, number: number): Promise<GitHubPull> {
	for (let asked = 1; ; asked++) {
		const pull = await readOne(client, at, number);
		if (typeof pull.mergeable === "boolean" || pull.state !== "open" || asked === maxAsks) return pull;
		await sleep(computingMs);
	}
}
