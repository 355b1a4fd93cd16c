/** Answers questions about pull requests with the provider that serves the repository for the caller. */
import { mayUseSession } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { PullRequestView, SessionPull } from "#shared/contracts/git/pulls.ts";
import { NotFoundError, unlessForeseen } from "#shared/base/errors.ts";
import type { CiStatus, PullRequest, PullState } from "../providers/git-provider.ts";
import type { FoundProvider, ProviderRegistry } from "../providers/provider-registry.ts";
import type { PullName } from "./pull-merges.ts";
import type { PullRecords } from "./pull-records.ts";
import { pullView, reviewStatus } from "./pull-view.ts";
import { repoOf } from "./session-branch.ts";
import type { SessionGateway } from "./session-gateway.ts";

export class PullQueries {
	readonly #registry: Pick<ProviderRegistry, "find">;
	readonly #records: PullRecords;

	constructor(registry: Pick<ProviderRegistry, "find">, records: PullRecords) {
		this.#registry = registry;
		this.#records = records;
	}

	/** Returns the newest pull requests, at most 100. @throws {BadRequestError}, and the provider's errors. */
	async list(principal: Principal, repo_url: string, status: PullState | "all"): Promise<PullRequestView[]> {
		const { provider, place, repo } = await this.#registry.find(principal, repo_url);
		const [pulls, sessions] = await Promise.all([
			provider.pulls(place, status),
			this.#records.sessionsOf(principal, repo),
		]);
		return pulls.map((pull) =>
			pullView(pull, { repo_url, provider: provider.name, session_id: sessions.get(pull.number) ?? null }),
		);
	}

	/** @throws {NotFoundError} {BadRequestError}, and the provider's errors. */
	async get(principal: Principal, { repo_url, number }: PullName): Promise<PullRequestView> {
		const found = await this.#registry.find(principal, repo_url);
		const name = { repo: found.repo, number };
		const [pull, stored] = await Promise.all([
			found.provider.pull(found.place, number),
			this.#records.find(principal, name),
		]);
		const [ci_status, evidence] = await Promise.all([
			ifKnown(found.provider.ciStatus(found.place, pull.head_sha)),
			ifKnown(found.provider.evidence(found.place, number)),
			this.#records.observed(principal, name, pull.status, pull.merge_sha),
		]);
		const isSeen = stored && mayUseSession(principal, "see", { tenant: principal.tenant, owner: stored.owner });
		const session_id = isSeen ? stored.record.session_id : null;
		const review_status = evidence ? reviewStatus(evidence) : null;
		return pullView(pull, { repo_url, provider: found.provider.name, session_id, ci_status, review_status });
	}

	async ci(principal: Principal, repo_url: string, branch: string): Promise<CiStatus> {
		const { provider, place } = await this.#registry.find(principal, repo_url);
		return provider.ciStatus(place, branch);
	}

	/** Returns the newest pull request of a session, also one that its agent opened by itself. @throws {NotFoundError} */
	async ofSession(principal: Principal, id: string, gateway: SessionGateway): Promise<SessionPull> {
		const session = await gateway.session(id);
		const stored = await this.#records.ofSession(principal, id);
		if (!stored) {
			const { url, branch } = repoOf(session, undefined);
			const found = await this.#registry.find(principal, url);
			const open = (await found.provider.pulls(found.place, "open")).find(
				({ source_branch, is_from_fork }) => source_branch === branch && !is_from_fork,
			);
			if (!open) throw new NotFoundError("The session has no pull request", "PULL_NOT_FOUND");
			return sessionPull(found, open);
		}
		const { record } = stored;
		const found = await this.#registry.find(principal, record.repo_url);
		const pull = await found.provider.pull(found.place, record.number);
		const name = { repo: found.repo, number: pull.number };
		await this.#records.observed(principal, name, pull.status, pull.merge_sha);
		return sessionPull(found, pull);
	}
}

async function sessionPull({ provider, place }: FoundProvider, pull: PullRequest): Promise<SessionPull> {
	const ci = await ifKnown(provider.ciStatus(place, pull.head_sha));
	const ci_passed = ci === "passing" ? true : ci === "failing" ? false : null;
	return {
		pr_id: String(pull.number),
		url: pull.url,
		state: pull.status,
		mergeable: pull.status === "open" && pull.mergeable === true,
		ci_passed,
	};
}

/** Returns null for an answer that the provider does not give; the rest of the pull request is still true. */
async function ifKnown<T>(asked: Promise<T>): Promise<T | null> {
	return (await asked.catch(unlessForeseen)) ?? null;
}
