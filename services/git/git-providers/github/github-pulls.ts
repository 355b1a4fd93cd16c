/** Pull requests at GitHub: opening, merging, and what forbids a merge. */
import { unlessForeseen, UnprocessableError } from "#shared/base/errors.ts";
import type { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import type { RepositoryPlace } from "../../providers/git-provider.ts";
import { pullPath, repositoryPath } from "../github-api.ts";
import type { PullOperations } from "../host-adapter.ts";
import { ownPull, pullsWith } from "../own-pull.ts";
import { reasonIn } from "../reason-in.ts";
import { refusedMerge } from "../refused-merge.ts";
import { type GitHubPull, pullOf, readMerge, readPull, readPulls } from "./github-shapes.ts";

/** The most pull requests of one list. */
const maxPulls = 100;

export const githubPulls: Omit<PullOperations<ProviderClient>, "checksOf" | "evidenceOf"> = {
	/**
	 * Opens the pull request, or returns the open one of the same branches: the answer to an earlier try may be lost.
	 * @throws {UnprocessableError} `PULL_REFUSED` with GitHub's reason, e.g. that there are no commits between the branches.
	 */
	async openPull(client, at, wanted) {
		const { title, description, head, base, draft, labels } = wanted;
		const body = { title, body: description, head, base, draft };
		const answer = await client.send({ method: "POST", path: `${repositoryPath(at)}/pulls`, body, expected: [422] });
		const opened =
			answer.status === 422
				? await githubPulls.openOne(client, at, wanted)
				: pullOf(client.read(readPull, answer.json));
		if (!opened)
			throw new UnprocessableError(`GitHub did not open the pull request${reasonIn(answer)}`, "PULL_REFUSED");
		if (labels.length > 0) await label(client, `${repositoryPath(at)}/issues/${opened.number}/labels`, labels);
		return opened;
	},

	async openOne(client, at, { head, base }) {
		const query = { state: "open", head: `${at.owner}:${head}`, base, per_page: maxPulls };
		const found = client.read(readPulls, await client.get(`${repositoryPath(at)}/pulls`, query));
		return ownPull(found.map(pullOf), { head, base });
	},

	async listPulls(client, at, status) {
		const state = status === "merged" ? "closed" : status;
		const query = { state, sort: "created", direction: "desc", per_page: maxPulls };
		const found = client.read(readPulls, await client.get(`${repositoryPath(at)}/pulls`, query));
		return pullsWith(status, found.map(pullOf));
	},

	async onePull(client, at, number) {
		return pullOf(await readOne(client, at, number));
	},

	/** Merges, or finds that this head is merged already. @throws {ConflictError} with the type of the reason. */
	async mergePull(client, at, number, { method, expected_head }) {
		const answer = await client.send({
			method: "PUT",
			path: `${pullPath(at, number)}/merge`,
			body: { merge_method: method, sha: expected_head },
			expected: [405, 409, 422],
		});
		if (answer.status < 300) return { sha: client.read(readMerge, answer.json).sha };
		const now = await readOne(client, at, number);
		const { merge_sha } = pullOf(now);
		if (merge_sha !== null && now.head.sha === expected_head) return { sha: merge_sha };
		const hasConflict = now.mergeable === false && now.mergeable_state === "dirty";
		const reason = reasonIn(answer);
		throw refusedMerge("GitHub", { head: now.head.sha, expected: expected_head, hasConflict, reason });
	},
};

/** Labels are decoration: without the right to set them, the pull request is open all the same. */
async function label(client: ProviderClient, path: string, labels: readonly string[]): Promise<void> {
	await client.send({ method: "POST", path, body: { labels } }).catch(unlessForeseen);
}

export async function readOne(client: ProviderClient, at: RepositoryPlace, number: number): Promise<GitHubPull> {
	return client.read(readPull, await client.get(pullPath(at, number)));
}
