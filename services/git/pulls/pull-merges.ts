/** Merges pull requests. The provider is asked again when its answer was lost, so that a merge is told exactly once. */
import type { Principal } from "#shared/base/principal.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { pulls } from "#shared/contracts/git/pulls.ts";
import { ConflictError, ServiceError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { type MergeMethod, pullHeadMoved, pullNotMergeable, type PullRequest } from "../providers/git-provider.ts";
import type { FoundProvider, ProviderRegistry } from "../providers/provider-registry.ts";
import type { PullRecords } from "./pull-records.ts";
import { recordOf } from "./pull-creations.ts";

export interface PullName {
	readonly repo_url: string;
	readonly number: number;
}

type MergeWishes = ParamsOf<typeof pulls.actions.merge, keyof PullName>;

/** A pull request that is merged; `sha` is the commit of the merge, when the provider says it. */
interface Merged {
	readonly merged: true;
	readonly sha: string | null;
}

export class PullMerges {
	readonly #registry: Pick<ProviderRegistry, "find">;
	readonly #records: PullRecords;
	readonly #method: MergeMethod;

	/** @param method The method when the caller names none. */
	constructor(registry: Pick<ProviderRegistry, "find">, records: PullRecords, method: MergeMethod) {
		this.#registry = registry;
		this.#records = records;
		this.#method = method;
	}

	/**
	 * Merges a pull request; one that is merged already is a success.
	 * @throws {ConflictError} `PULL_CONFLICT`, `PULL_NOT_MERGEABLE`, `PULL_HEAD_MOVED`; {NotFoundError}, and the
	 * provider's errors.
	 */
	async merge(principal: Principal, name: PullName, wishes: MergeWishes): Promise<Merged> {
		const found = await this.#registry.find(principal, name.repo_url, "write");
		const pull = await found.provider.pull(found.place, name.number);
		const method = wishes.merge_method ?? this.#method;
		const sha = await this.#mergeOpen(found, pull, { ...wishes, merge_method: method });
		failpoint("pulls.merged");
		const { repo, provider } = found;
		const origin = { repo, repo_url: name.repo_url, provider: provider.name, session_id: null };
		// A pull request that was merged before, by an answer that was lost or by somebody else, has the method unknown.
		const details = { merge_method: pull.status === "merged" ? null : method, merge_sha: sha };
		await this.#records.merged(principal, { ...recordOf(pull, origin), ...details });
		return { merged: true, sha };
	}

	/** Resolves to the commit of the merge when the pull request is merged, now or before. */
	async #mergeOpen(
		{ provider, place }: FoundProvider,
		pull: PullRequest,
		{ merge_method, expected_head_sha }: MergeWishes & { readonly merge_method: MergeMethod },
	): Promise<string | null> {
		const { number, status, head_sha } = pull;
		if (status === "merged") return pull.merge_sha;
		refuseUnready(pull, expected_head_sha ?? head_sha);
		try {
			return (await provider.mergePull(place, number, { method: merge_method, expected_head: head_sha })).sha;
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			const now = await provider.pull(place, number).catch(() => undefined);
			if (now?.status === "merged" && now.head_sha === head_sha) return now.merge_sha;
			throw error;
		}
	}
}

/** @throws {ConflictError} when the pull request is not open, not finished, or newer than what was looked at. */
function refuseUnready({ number, status, draft, head_sha }: PullRequest, expected: string): void {
	if (status === "closed") throw notMergeable(number, "is closed");
	if (draft) throw notMergeable(number, "is a draft");
	if (expected === head_sha) return;
	throw new ConflictError(`Pull request ${number} has newer commits than ${expected}`, pullHeadMoved, { head_sha });
}

function notMergeable(number: number, why: string): ConflictError {
	return new ConflictError(`Pull request ${number} ${why}`, pullNotMergeable);
}
