/** Reads the evidence about a commit and a pull request at Gitea: statuses, reviews, files. */
import type { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import { maxEvidence, type PullEvidence, type RepositoryPlace } from "../../providers/git-provider.ts";
import { readPages } from "../read-pages.ts";
import type { SomeChecks } from "../sum-of-checks.ts";
import { nextPage, pullPath, repositoryPath } from "./gitea-paths.ts";
import { settledPull } from "./gitea-pulls.ts";
import { checkOf, fileOf, readFiles, readReviews, readStatuses, reviewOf } from "./gitea-shapes.ts";

const bounds = { query: { limit: 50 }, most: maxEvidence, next: nextPage } as const;

/** Returns the newest statuses of a branch or commit; jobs of Gitea's own Actions set them too. */
export async function checksOf(client: ProviderClient, at: RepositoryPlace, ref: string): Promise<SomeChecks> {
	const path = `${repositoryPath(at)}/commits/${encodeURIComponent(ref)}/status`;
	const { items, more } = await readPages(client, { path, reader: readStatuses, ...bounds });
	return { checks: items.flatMap(checkOf), more };
}

export async function evidenceOf(client: ProviderClient, at: RepositoryPlace, number: number): Promise<PullEvidence> {
	const { head_sha, target_branch, author, mergeable } = await settledPull(client, at, number);
	const path = pullPath(at, number);
	const [{ checks, more }, reviews, files] = await Promise.all([
		checksOf(client, at, head_sha),
		readPages(client, { path: `${path}/reviews`, reader: readReviews, ...bounds }),
		readPages(client, { path: `${path}/files`, reader: readFiles, ...bounds }),
	]);
	return {
		head_sha,
		target_branch,
		author,
		mergeable,
		checks,
		reviews: reviews.items.flatMap(reviewOf).toSorted((a, b) => (a.at ?? "").localeCompare(b.at ?? "")),
		files: files.items.map(fileOf),
		more: more || reviews.more || files.more,
	};
}
