/** Pull requests at Gitea: opening, merging, and what forbids a merge. */
import { sleep } from "#shared/base/clock.ts";
import { unlessForeseen, UnprocessableError } from "#shared/base/errors.ts";
import type { ProviderAnswer, ProviderClient } from "#shared/net/outbound/provider-client.ts";
import type { PullRequest, RepositoryPlace } from "../../providers/git-provider.ts";
import { pullPath, repositoryPath } from "../github-api.ts";
import type { PullOperations } from "../host-adapter.ts";
import { ownPull, pullsWith } from "../own-pull.ts";
import { refusedMerge } from "../refused-merge.ts";
import { reasonIn } from "../reason-in.ts";
import {
	draftTitle,
	type GiteaPull,
	mergeability,
	pullOf,
	readLabel,
	readLabels,
	readPull,
	readPulls,
} from "./gitea-shapes.ts";

/** The most pull requests of one list, and the most open ones among which one is looked for. */
const maxPulls = 100;
const maxOpen = 500;
const maxLabels = 200;
/** The colour of labels that are made here; Gitea wants one. */
const labelColour = "#cccccc";
/** Gitea looks for conflicts and new branches in the background; the waits before the next questions, in milliseconds. */
const checkingMs = [250, 500, 1_000];

export const giteaPulls: Omit<PullOperations<ProviderClient>, "checksOf" | "evidenceOf"> = {
	/**
	 * Opens the pull request, or returns the open one of the same branches: the answer to an earlier try may be lost.
	 * @throws {UnprocessableError} `PULL_REFUSED` with the reason.
	 */
	async openPull(client, at, wanted) {
		const { title, description: body, head, base, draft, labels } = wanted;
		const request = {
			method: "POST",
			path: `${repositoryPath(at)}/pulls`,
			body: { title: draft ? draftTitle(title) : title, body, head, base },
			expected: [404, 409, 422],
		} as const;
		const first = await client.send(request);
		// The branch may have been pushed just now; a 404 has opened nothing.
		const isLate = first.status === 404 && (await isSeenSoon(client, at, head));
		const answer = isLate ? await client.send(request) : first;
		const opened = answer.status < 300 ? pullOf(client.read(readPull, answer.json)) : undefined;
		const known = opened ?? (answer.status === 409 ? await giteaPulls.openOne(client, at, wanted) : undefined);
		if (!known) throw new UnprocessableError(`Gitea did not open the pull request${reasonOf(answer)}`, "PULL_REFUSED");
		if (labels.length > 0) await label(client, at, known.number, labels);
		return known;
	},

	async openOne(client, at, { head, base }) {
		const query = { state: "open", base_branch: base };
		const path = `${repositoryPath(at)}/pulls`;
		const { items } = await client.list({ path, query, reader: readPulls, most: maxOpen });
		// Older versions do not know the filter.
		return ownPull(items.map(pullOf), { head, base });
	},

	async listPulls(client, at, status) {
		const query = { state: status === "merged" ? "closed" : status };
		const path = `${repositoryPath(at)}/pulls`;
		const { items } = await client.list({ path, query, reader: readPulls, most: maxPulls });
		return pullsWith(status, items.map(pullOf));
	},

	onePull: settledPull,

	/** Merges, or finds that this head is merged already. @throws {ConflictError} with the type of the reason. */
	async mergePull(client, at, number, { method, expected_head }) {
		// Gitea refuses to merge until it has looked for conflicts.
		await settledPull(client, at, number);
		const answer = await client.send({
			method: "POST",
			path: `${pullPath(at, number)}/merge`,
			body: { Do: method, head_commit_id: expected_head },
			expected: [404, 405, 409],
		});
		const now = await settledPull(client, at, number);
		if (now.merge_sha !== null && now.head_sha === expected_head) return { sha: now.merge_sha };
		const hasConflict = now.status === "open" && !now.draft && now.mergeable === false;
		const reason = reasonIn(answer);
		throw refusedMerge("Gitea", { head: now.head_sha, expected: expected_head, hasConflict, reason });
	},
};

/** Gitea learns of pushed branches in the background. Resolves to whether it knows this one after a few questions. */
async function isSeenSoon(client: ProviderClient, at: RepositoryPlace, branch: string): Promise<boolean> {
	const path = `${repositoryPath(at)}/branches/${encodeURIComponent(branch)}`;
	for (const waitMs of checkingMs) {
		const { status } = await client.send({ method: "GET", path, expected: [404] });
		if (status < 300) return true;
		await sleep(waitMs);
	}
	return false;
}

function reasonOf(answer: ProviderAnswer): string {
	return answer.status === 404
		? ": there is no such repository, or none of its branches has that name"
		: reasonIn(answer);
}

/** Labels are decoration: without the right to set them, the pull request is open all the same. */
async function label(
	client: ProviderClient,
	at: RepositoryPlace,
	number: number,
	names: readonly string[],
): Promise<void> {
	const path = `${repositoryPath(at)}/issues/${number}/labels`;
	const labels = await labelIds(client, at, names).catch(unlessForeseen);
	if (labels) await client.send({ method: "POST", path, body: { labels } }).catch(unlessForeseen);
}

/** Returns the ids of the labels; missing ones are made. */
async function labelIds(client: ProviderClient, at: RepositoryPlace, names: readonly string[]): Promise<number[]> {
	const path = `${repositoryPath(at)}/labels`;
	const { items } = await client.list({ path, reader: readLabels, most: maxLabels });
	const ids: number[] = [];
	for (const name of names) {
		const known = items.find((one) => one.name === name);
		const body = { name, color: labelColour };
		ids.push(known?.id ?? client.read(readLabel, (await client.send({ method: "POST", path, body })).json).id);
	}
	return ids;
}

async function onePull(client: ProviderClient, at: RepositoryPlace, number: number): Promise<GiteaPull> {
	return client.read(readPull, await client.get(pullPath(at, number)));
}

/**
 * Returns the pull request once Gitea can merge it, or after a few questions: one that is open, no draft, and still not
 * mergeable then has conflicts, which Gitea does not say in another way.
 */
export async function settledPull(client: ProviderClient, at: RepositoryPlace, number: number): Promise<PullRequest> {
	for (const waitMs of checkingMs) {
		const pull = await onePull(client, at, number);
		if (mergeability(pull) !== null) return pullOf(pull);
		await sleep(waitMs);
	}
	const last = await onePull(client, at, number);
	return { ...pullOf(last), mergeable: mergeability(last) ?? false };
}
