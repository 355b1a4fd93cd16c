/**
 * The repository of evaluations. Methods for persons take the principal first: evaluations of others do not exist for
 * the principal, unless it administers their tenant.
 */
import { bound } from "#shared/base/bounds.ts";
import { isAllowed, relationTo, seesWholeTenant } from "#shared/contracts/access/access-table.ts";
import type { NotingStore } from "#shared/store/audit/audited-store.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Evaluation, Outcome } from "#shared/contracts/git/confidence.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import type { StoredPage } from "#shared/store/pages/stored-page.ts";
import type { KeyedRequest } from "#shared/store/resource-kind.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import type { PullEvent } from "../../providers/webhooks.ts";
import { evaluationCollection, type EvaluationDocument } from "./evaluation-collection.ts";

export type NewEvaluation = Omit<Evaluation, "id" | "evaluated_at" | "outcome">;

type ObservedPull = Pick<PullEvent, "repo_url" | "number" | "state" | "at">;

interface Recent {
	readonly repo_url?: string | undefined;
	/** The oldest time, as ISO 8601. */
	readonly since: string;
	readonly limit: number;
}

const maxAgeMs = 400 * 86_400_000;
/** The documents that one pass reads or removes. */
const batch = 100;
/** The most that a provider's clock may be ahead of ours, in milliseconds. */
const maxAheadMs = 300_000;

export class EvaluationRecords {
	readonly #store: NotingStore;
	readonly #records: ResourcesIn<typeof evaluationCollection, Principal>;

	constructor(store: NotingStore) {
		this.#store = store;
		this.#records = new ResourceRecords(store, {
			collection: evaluationCollection,
			noun: "Evaluation",
			keyed: "merge-evaluation",
			isAllowed: (principal: Principal, _action, found) => isAllowed(principal, "see", "merge-evaluation", found),
			isNoted: (principal: Principal, found) => relationTo(principal, found) === "administrator",
			written: () => failpoint("confidence.written"),
		});
	}

	/** Returns the answer to an earlier request. @throws {UnprocessableError} for a key that was used for another request. */
	async repeated(principal: Principal, request: KeyedRequest): Promise<string | undefined> {
		return (await this.#records.repeated(principal, request))?.wire;
	}

	/** Stores an evaluation and returns its text; that of the first one when two requests have the same key. */
	async add(principal: Principal, made: NewEvaluation, request: KeyedRequest): Promise<string> {
		const { document, isFirst } = await this.#records.create(principal, request, (id, at) => {
			const evaluated_at = isoTime(at);
			const evaluation: Evaluation = { id, ...made, evaluated_at, outcome: null };
			return { wire: JSON.stringify(evaluation), set: { evaluated_at, ...pullColumns(made) } };
		});
		if (isFirst) await this.#removeOldest(principal);
		return document.wire;
	}

	/** @throws {NotFoundError} */
	async get(principal: Principal, id: string): Promise<string> {
		return (await this.#records.get(principal, id)).wire;
	}

	/** Returns a page, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	list(
		principal: Principal,
		{ repo_url, ...page }: PageRequest & { readonly repo_url?: string | undefined },
	): Promise<StoredPage> {
		return this.#records.list(rangeFor(principal, repo_url), page);
	}

	/** Yields the principal's evaluations, newest first. */
	async *recent(principal: Principal, { repo_url, since, limit }: Recent): AsyncGenerator<Evaluation> {
		const { index, equals } = rangeFor(principal, repo_url);
		const page = { limit: Math.min(limit, batch), columns: [], maxBytes: answerBytes, descending: true };
		let left = limit;
		for await (const found of readPages(this.#store, evaluationCollection, index, { equals, from: since, ...page })) {
			for (const { wire } of found.slice(0, left)) yield evaluationOf(wire);
			if ((left -= found.length) <= 0) return;
		}
	}

	/** Stores what became of the pull request, unless something newer, or something final, is known. */
	async settle(id: string, outcome: Outcome): Promise<void> {
		await this.#records.changeOf(id, ({ wire }) => {
			const evaluation = evaluationOf(wire);
			return mayFollow(evaluation.outcome, outcome) ? { wire: JSON.stringify({ ...evaluation, outcome }) } : undefined;
		});
		failpoint("confidence.settled");
	}

	/**
	 * Stores the state of a pull request in its newest evaluations, whoever asked for them. A time that lies far ahead
	 * counts as now: otherwise nothing would be newer, and a wrong state would stay.
	 */
	async observe({ repo_url, number, state, at: said }: ObservedPull): Promise<void> {
		const at = Date.parse(said) > now() + maxAheadMs ? isoTime() : said;
		const range = { equals: [repositoryKey(repo_url), number] };
		const page = { limit: batch, columns: [], descending: true } as const;
		const { documents } = await this.#store.find(evaluationCollection, "by_pull", range, page);
		const merged_at = state === "merged" ? at : null;
		const outcome: Outcome = { state, merged_at, reverted: false, reverted_by: null, checked_at: at };
		for (const { id } of documents) await this.settle(id, outcome);
	}

	/** Removes evaluations that are older than 400 days, the oldest first; resolves to their count. */
	sweep(): Promise<number> {
		return this.#records.removeFirst("by_age", { equals: [], to: isoTime(now() - maxAgeMs), limit: batch });
	}

	async #removeOldest({ tenant, id }: Principal): Promise<void> {
		const equals = [tenant, id];
		const surplus = (await this.#store.count(evaluationCollection, "by_owner", { equals })) - bound.evaluations;
		if (surplus > 0) await this.#records.removeFirst("by_owner", { equals, limit: Math.min(surplus, batch) });
	}
}

function rangeFor(principal: Principal, repo_url: string | undefined) {
	const { tenant, id } = principal;
	const repo = repo_url === undefined ? [] : [repositoryKey(repo_url)];
	if (seesWholeTenant(principal))
		return { index: repo.length > 0 ? "by_tenant_repo" : "by_tenant", equals: [tenant, ...repo] } as const;
	return { index: repo.length > 0 ? "by_owner_repo" : "by_owner", equals: [tenant, id, ...repo] } as const;
}

/** Whether an outcome may take the place of another one: nothing follows a revert, and a merge is not undone. */
function mayFollow(known: Outcome | null, outcome: Outcome): boolean {
	if (!known) return true;
	if (known.reverted || known.checked_at >= outcome.checked_at) return false;
	return known.state !== "merged" || outcome.state === "merged";
}

function pullColumns({ repo_url, number }: NewEvaluation): Pick<EvaluationDocument, "repo" | "pull"> {
	return repo_url === null || number === null ? {} : { repo: repositoryKey(repo_url), pull: number };
}

function evaluationOf(wire: string): Evaluation {
	return JSON.parse(wire);
}
