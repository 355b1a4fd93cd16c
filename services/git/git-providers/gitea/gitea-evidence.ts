/** Reads the evidence about a commit and a pull request at Gitea: statuses, reviews, files. */
import type { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import { maxEvidence, type PullEvidence, type RepositoryPlace } from "../../providers/git-provider.ts";
import { pullPath, readFiles, repositoryPath } from "../github-api.ts";
import { pullEvidence } from "../pull-evidence.ts";
import type { SomeChecks } from "../sum-of-checks.ts";
import { settledPull } from "./gitea-pulls.ts";
import { checkOf, readReviews, readStatuses, reviewOf } from "./gitea-shapes.ts";

/** Returns the newest statuses of a branch or commit; jobs of Gitea's own Actions set them too. */
export async function checksOf(client: ProviderClient, at: RepositoryPlace, ref: string): Promise<SomeChecks> {
	const path = `${repositoryPath(at)}/commits/${encodeURIComponent(ref)}/status`;
	const { items, more } = await client.list({ path, reader: readStatuses, most: maxEvidence });
	return { checks: items.flatMap(checkOf), more };
}

export async function evidenceOf(client: ProviderClient, at: RepositoryPlace, number: number): Promise<PullEvidence> {
	const pull = await settledPull(client, at, number);
	const path = pullPath(at, number);
	const [{ checks, more }, reviews, files] = await Promise.all([
		checksOf(client, at, pull.head_sha),
		client.list({ path: `${path}/reviews`, reader: readReviews, most: maxEvidence }),
		client.list({ path: `${path}/files`, reader: readFiles, most: maxEvidence }),
	]);
	return pullEvidence(pull, {
		checks,
		reviews: reviews.items.flatMap(reviewOf).toSorted((a, b) => (a.at ?? "").localeCompare(b.at ?? "")),
		files: files.items,
		more: more || reviews.more || files.more,
	});
}
