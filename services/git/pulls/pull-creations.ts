/** Opens pull requests from sessions: the work is pushed, an open one of the same branches is adopted, and it is recorded. */
import { mayUseSession, ownershipOf } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime } from "#shared/base/clock.ts";
import type { PullCreate, PullRequestView } from "#shared/contracts/git/pulls.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { ConflictError, ForbiddenError, ServiceError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import type { NewPullRequest, PullRequest } from "../providers/git-provider.ts";
import type { FoundProvider, ProviderRegistry } from "../providers/provider-registry.ts";
import { orMissingConnection } from "./missing-connection.ts";
import type { PullRecords } from "./pull-records.ts";
import { pullDescription, pullTitle } from "./pull-text.ts";
import { pullView } from "./pull-view.ts";
import { type Branches, type BranchRules, branchesOf, repoOf, type SessionRepo } from "./session-branch.ts";
import type { SessionGateway } from "./session-gateway.ts";

interface PullCreationsDependencies {
	readonly registry: Pick<ProviderRegistry, "find">;
	readonly records: PullRecords;
	readonly rules: BranchRules;
}

interface PullOrder {
	readonly principal: Principal;
	readonly request: PullCreate;
	/** The `Idempotency-Key`. */
	readonly key: string | undefined;
	readonly gateway: SessionGateway;
}

interface Target extends FoundProvider {
	readonly session: Session;
	readonly from: SessionRepo;
	readonly branches: Branches;
}

/** It keeps nothing in memory: a repeated request finds what the first one has done. */
export class PullCreations {
	readonly #dependencies: PullCreationsDependencies;

	constructor(dependencies: PullCreationsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Opens a pull request, or adopts the open one of the same branches. A repeated request has the same result,
	 * wherever the first one was interrupted.
	 * @throws {NotFoundError} {ForbiddenError} {BadRequestError} {ConflictError}, and the provider's errors.
	 */
	async create(order: PullOrder): Promise<PullRequestView> {
		const { principal, request, key, gateway } = order;
		const session = await gateway.session(request.session_id);
		if (!mayUseSession(principal, "command-agent", ownershipOf(session)))
			throw new ForbiddenError("Only the owner of a session may open pull requests from it");
		const keyed = key === undefined ? undefined : { key, fingerprint: fingerprintOf(request) };
		const former = keyed && (await this.#former(principal, keyed));
		if (former) return former;
		const target = await this.#target(principal, request, session);
		const title = pullTitle(request.title, session.name);
		const sha = await this.#push(target, title, gateway);
		failpoint("pulls.pushed");
		const description = request.description ?? pullDescription(await gateway.chronicle(session.id));
		const { labels, draft } = request;
		const opened = await openOnce(target, { ...target.branches, title, description, labels, draft });
		failpoint("pulls.opened");
		const pull = sha === undefined ? opened : { ...opened, head_sha: sha };
		const shown = { repo_url: target.from.url, provider: target.provider.name, session_id: session.id };
		await this.#dependencies.records.opened(principal, recordOf(pull, { ...shown, repo: target.repo }), keyed);
		return pullView(pull, shown);
	}

	/** Returns what a request with the same key opened. @throws {UnprocessableError} when it was another request. */
	async #former(
		principal: Principal,
		{ key, fingerprint }: { readonly key: string; readonly fingerprint: string },
	): Promise<PullRequestView | undefined> {
		const former = await this.#dependencies.records.ofKey(principal, key);
		if (!former) return undefined;
		refuseOtherRequest(former.fingerprint, fingerprint);
		const { repo_url, number, session_id } = former.record;
		const { provider, place } = await this.#dependencies.registry.find(principal, repo_url);
		return pullView(await provider.pull(place, number), { repo_url, provider: provider.name, session_id });
	}

	async #target(principal: Principal, request: PullCreate, session: Session): Promise<Target> {
		const { registry, rules } = this.#dependencies;
		const from = repoOf(session, request.repo ?? undefined);
		const found = await registry.find(principal, from.url, "write");
		const { default_branch } = await found.provider.repository(found.place);
		const branches = branchesOf({ id: session.id, repo: from }, request.target_branch ?? "", default_branch, rules);
		return { ...found, session, from, branches };
	}

	/**
	 * Pushes the work of a running session and returns its newest commit. A session that does not run may have pushed
	 * before. @throws {ConflictError} when it has not.
	 */
	async #push(target: Target, title: string, gateway: SessionGateway): Promise<string | undefined> {
		const { session, from, branches, provider, place, isOwn } = target;
		const { head } = branches;
		if (session.status === "running") {
			const author = await gateway.author();
			// A token of the configuration is the operator's; it never enters a pod.
			const credential = isOwn ? provider.gitCredential() : undefined;
			const { url, path } = from;
			const order = { session_id: session.id, path, url, branch: head, message: title };
			const work = { ...order, ...(author && { author }), ...(credential && { credential }) };
			const { sha } = await gateway.publish(work).catch((error: unknown) => {
				throw isOwn ? error : orMissingConnection(error, provider);
			});
			return sha;
		}
		if ((await provider.branches(place)).includes(head)) return undefined;
		throw new ConflictError(
			`The session is ${session.status} and its branch "${head}" was never pushed; start the session, so that it pushes its work`,
			"SESSION_NOT_RUNNING",
		);
	}
}

/** Opens the pull request, unless there is an open one of these branches, also when another request opens it meanwhile. */
async function openOnce({ provider, place }: FoundProvider, wanted: NewPullRequest): Promise<PullRequest> {
	const { head, base } = wanted;
	const there = await provider.pullOf(place, { head, base });
	if (there) return there;
	try {
		return await provider.openPull(place, wanted);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		const meanwhile = await provider.pullOf(place, { head, base }).catch(() => undefined);
		if (meanwhile) return meanwhile;
		throw error;
	}
}

interface Origin {
	readonly repo: string;
	readonly repo_url: string;
	readonly provider: string;
	readonly session_id: string | null;
}

export function recordOf(pull: PullRequest, { repo, repo_url, provider, session_id }: Origin) {
	const { number, url, source_branch: head, target_branch: base, head_sha, status: state, merge_sha } = pull;
	const created_at = isoTime();
	return {
		session_id,
		repo,
		repo_url,
		provider,
		number,
		url,
		head,
		base,
		head_sha,
		state,
		created_at,
		merge_method: null,
		merge_sha,
	};
}
