/** Pull requests at GitHub: opening, merging, and what forbids a merge. */
import { ServiceError, UnprocessableError } from "#shared/base/errors.ts";
import type { GitHubAnswer, GitHubClient } from "#shared/net/github/github-client.ts";
import type {
	MergeRequest,
	NewPullRequest,
	PullRequest,
	PullState,
	RepositoryPlace,
} from "../../providers/git-provider.ts";
import { ownPull, pullsWith } from "../own-pull.ts";
import { refusedMerge } from "../refused-merge.ts";
import { type GitHubPull, pullOf, readMerge, readPull, readPulls } from "./github-shapes.ts";

/** The most pull requests of one list. */
const maxPulls = 100;

interface RepositoryRef {
	readonly owner: string;
	readonly repo: string;
}

/** The names that GitHub's API gives to the parts of a place. */
export function placeOf({ owner, name }: RepositoryPlace): RepositoryRef {
	return { owner, repo: name };
}

/**
 * Opens the pull request, or returns the open one of the same branches: the answer to an earlier try may be lost.
 * @throws {UnprocessableError} `PULL_REFUSED` with GitHub's reason, e.g. that there are no commits between the branches.
 */
export async function openPull(
	client: GitHubClient,
	at: RepositoryPlace,
	wanted: NewPullRequest,
): Promise<PullRequest> {
	const { title, description: body, head, base, draft, labels } = wanted;
	const answer = await client.send(
		"POST /repos/{owner}/{repo}/pulls",
		{ ...placeOf(at), title, body, head, base, draft },
		[422],
	);
	const opened = answer.status === 422 ? await openOne(client, at, wanted) : pullOf(client.read(readPull, answer.data));
	if (!opened) throw new UnprocessableError(`GitHub did not open the pull request${reasonIn(answer)}`, "PULL_REFUSED");
	if (labels.length > 0) await label(client, at, opened.number, labels);
	return opened;
}

/** Labels are decoration: without the right to set them, the pull request is open all the same. */
async function label(
	client: GitHubClient,
	at: RepositoryPlace,
	number: number,
	labels: readonly string[],
): Promise<void> {
	const parameters = { ...placeOf(at), issue_number: number, labels: [...labels] };
	await client.send("POST /repos/{owner}/{repo}/issues/{issue_number}/labels", parameters).catch((error: unknown) => {
		if (!(error instanceof ServiceError)) throw error;
	});
}

/** Returns the open pull request of these branches of the repository. */
export async function openOne(
	client: GitHubClient,
	at: RepositoryPlace,
	{ head, base }: { head: string; base: string },
): Promise<PullRequest | undefined> {
	const query = { ...placeOf(at), state: "open", head: `${at.owner}:${head}`, base, per_page: maxPulls } as const;
	const found = client.read(readPulls, await client.get("GET /repos/{owner}/{repo}/pulls", query));
	return ownPull(found.map(pullOf), { head, base });
}

export async function listPulls(
	client: GitHubClient,
	at: RepositoryPlace,
	status: PullState | "all",
): Promise<PullRequest[]> {
	const state = status === "merged" ? "closed" : status;
	const query = { ...placeOf(at), state, sort: "created", direction: "desc", per_page: maxPulls } as const;
	const found = client.read(readPulls, await client.get("GET /repos/{owner}/{repo}/pulls", query));
	return pullsWith(status, found.map(pullOf));
}

export async function readOne(client: GitHubClient, at: RepositoryPlace, number: number): Promise<GitHubPull> {
	const parameters = { ...placeOf(at), pull_number: number };
	return client.read(readPull, await client.get("GET /repos/{owner}/{repo}/pulls/{pull_number}", parameters));
}

export async function onePull(client: GitHubClient, at: RepositoryPlace, number: number): Promise<PullRequest> {
	return pullOf(await readOne(client, at, number));
}

/** Merges, or finds that this head is merged already. @throws {ConflictError} with the type of the reason. */
export async function mergePull(
	client: GitHubClient,
	at: RepositoryPlace,
	number: number,
	{ method, expected_head }: MergeRequest,
): Promise<{ sha: string }> {
	const parameters = { ...placeOf(at), pull_number: number, merge_method: method, sha: expected_head };
	const answer = await client.send("PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge", parameters, [405, 409, 422]);
	if (answer.status < 300) return { sha: client.read(readMerge, answer.data).sha };
	const now = await readOne(client, at, number);
	const { merge_sha } = pullOf(now);
	if (merge_sha !== null && now.head.sha === expected_head) return { sha: merge_sha };
	const hasConflict = now.mergeable === false && now.mergeable_state === "dirty";
	const reason = reasonIn(answer);
	throw refusedMerge("GitHub", { head: now.head.sha, expected: expected_head, hasConflict, reason });
}

function reasonIn({ message }: GitHubAnswer): string {
	return message === "" ? "" : `: ${JSON.stringify(message)}`;
}
