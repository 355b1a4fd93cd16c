/** Merge requests at GitLab: opening, merging, and what forbids a merge. */
import { sleep } from "#shared/base/clock.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { ProviderAnswer, ProviderClient } from "#shared/net/outbound/provider-client.ts";
import type { NewPullRequest, PullRequest, RepositoryPlace } from "../../providers/git-provider.ts";
import type { PullOperations } from "../host-adapter.ts";
import { ownPull, pullsWith } from "../own-pull.ts";
import { refusedMerge } from "../refused-merge.ts";
import { reasonIn } from "../reason-in.ts";
import { projectPath, requestPath } from "./gitlab-paths.ts";
import {
	draftTitle,
	type GitLabMergeRequest,
	hasConflict,
	mergeability,
	mergeWord,
	pullOf,
	readBase,
	readBranch,
	readMergeRequest,
	readMergeRequests,
} from "./gitlab-shapes.ts";

/** The most merge requests of one list. */
const maxPulls = 100;
/** GitLab finds out in the background whether it can merge; the wait before the next question. */
const checkingMs = 500;
const maxAsks = 4;
const longestLabel = 255;
const longestTitle = 255;

type Branches = Pick<NewPullRequest, "head" | "base">;

export const gitlabPulls: Omit<PullOperations<ProviderClient>, "checksOf" | "evidenceOf"> = {
	/**
	 * Opens the merge request, or returns the open one of the same branches: the answer to an earlier try may be lost.
	 * @throws {UnprocessableError} `PULL_REFUSED` with the reason.
	 */
	async openPull(client, at, wanted) {
		const { title, description, head, base, draft } = wanted;
		await requireCommits(client, at, wanted);
		const answer = await client.send({
			method: "POST",
			path: `${projectPath(at)}/merge_requests`,
			body: {
				title: (draft ? draftTitle(title) : title).slice(0, longestTitle),
				description,
				source_branch: head,
				target_branch: base,
				labels: labelsOf(wanted.labels),
			},
			expected: [400, 409, 422],
		});
		const opened = answer.status === 409 ? await gitlabPulls.openOne(client, at, wanted) : openedIn(client, answer);
		if (!opened) throw refused(reasonIn(answer));
		return opened;
	},

	async openOne(client, at, { head, base }) {
		const query = { state: "opened", source_branch: head, target_branch: base, per_page: maxPulls };
		const found = client.read(readMergeRequests, await client.get(`${projectPath(at)}/merge_requests`, query));
		return ownPull(found.map(pullOf), { head, base });
	},

	async listPulls(client, at, status) {
		const state = status === "open" ? "opened" : status;
		const query = { state, order_by: "created_at", sort: "desc", per_page: maxPulls };
		const found = client.read(readMergeRequests, await client.get(`${projectPath(at)}/merge_requests`, query));
		return pullsWith(status, found.map(pullOf));
	},

	async onePull(client, at, number) {
		return pullOf(await settledRequest(client, at, number));
	},

	/**
	 * Merges, or finds that this head is merged already. GitLab has no `rebase` of one merge request: how a project merges
	 * is the project's own setting.
	 * @throws {ConflictError} with the type of the reason.
	 */
	async mergePull(client, at, number, { method, expected_head }) {
		if (method === "rebase")
			throw new UnprocessableError('GitLab merges with the methods "merge" and "squash" only', "MERGE_METHOD_REFUSED");
		// GitLab refuses to merge while it finds out whether it can.
		await settledRequest(client, at, number);
		const answer = await client.send({
			method: "PUT",
			path: `${requestPath(at, number)}/merge`,
			body: { sha: expected_head, squash: method === "squash" },
			expected: [405, 406, 409, 422],
		});
		if (answer.status < 300) {
			const { merge_sha } = pullOf(client.read(readMergeRequest, answer.json));
			if (merge_sha !== null) return { sha: merge_sha };
		}
		const now = await settledRequest(client, at, number);
		const { merge_sha } = pullOf(now);
		if (merge_sha !== null && now.sha === expected_head) return { sha: merge_sha };
		const word = mergeWord(now).slice(0, 100);
		const why = word === "" || word === "mergeable" ? "" : ` (${word})`;
		const reason = `${why}${reasonIn(answer)}`;
		throw refusedMerge("GitLab", {
			head: now.sha ?? "",
			expected: expected_head,
			hasConflict: hasConflict(now),
			reason,
		});
	},
};

function openedIn(client: ProviderClient, { status, json }: ProviderAnswer): PullRequest | undefined {
	return status < 300 ? pullOf(client.read(readMergeRequest, json)) : undefined;
}

/** GitLab opens merge requests of branches that do not exist, and of those without commits of their own. */
async function requireCommits(client: ProviderClient, at: RepositoryPlace, { head, base }: Branches): Promise<void> {
	const source = await endOf(client, at, head);
	const target = await endOf(client, at, base);
	const refs = [source, target].map((ref) => `refs[]=${ref}`).join("&");
	const path = `${projectPath(at)}/repository/merge_base?${refs}`;
	const { status, json } = await client.send({ path, expected: [400, 404] });
	const shared = status < 300 ? client.read(readBase, json).id : undefined;
	if (shared === source) throw refused(`: there are no commits between "${base}" and "${head}"`);
}

async function endOf(client: ProviderClient, at: RepositoryPlace, branch: string): Promise<string> {
	const path = `${projectPath(at)}/repository/branches/${encodeURIComponent(branch)}`;
	const { status, json } = await client.send({ path, expected: [404] });
	if (status === 404) throw refused(`: there is no branch "${branch.slice(0, 200)}"`);
	return client.read(readBranch, json).commit.id;
}

function refused(reason: string): UnprocessableError {
	return new UnprocessableError(`GitLab did not open the merge request${reason}`, "PULL_REFUSED");
}

/** Labels are decoration: a comma in one would make two of it. */
function labelsOf(labels: readonly string[]): string {
	return labels.map((label) => label.replaceAll(",", " ").slice(0, longestLabel)).join(",");
}

async function oneRequest(client: ProviderClient, at: RepositoryPlace, number: number): Promise<GitLabMergeRequest> {
	return client.read(readMergeRequest, await client.get(requestPath(at, number)));
}

/** Returns the merge request once GitLab knows whether it can be merged, or after a few questions. */
export async function settledRequest(
	client: ProviderClient,
	at: RepositoryPlace,
	number: number,
): Promise<GitLabMergeRequest> {
	for (let asked = 1; ; asked++) {
		const request = await oneRequest(client, at, number);
		if (mergeability(request) !== null || asked === maxAsks) return request;
		await sleep(checkingMs);
	}
}
