/**
 * The repository of evaluations. Methods for persons take the principal first: evaluations of others do not exist for
 * the principal, unless it administers their tenant.
 */
import { isAllowed, relationTo, seesWholeTenant } from "#shared/contracts/access/access-table.ts";
import type { NotingStore } from "#shared/store/audit/audited-store.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Evaluation, Outcome } from "#shared/contracts/git/confidence.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { type StoredPage, storedPage } from "#shared/store/pages/stored-page.ts";
import { evaluationCollection, type EvaluationDocument } from "./evaluation-collection.ts";

/** An evaluation before it is stored. */
export type NewEvaluation = Omit<Evaluation, "id" | "evaluated_at" | "outcome">;

/** The request that an evaluation answers. */
export interface AskedFor {
	readonly request: object;
	/** The client's `Idempotency-Key`. */
	readonly key?: string | undefined;
}

/** The page that a client asks for, and what it has already. */
interface EvaluationPage {
	readonly repo_url?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
	readonly known?: string | undefined;
}

/** The state of a pull request at a time. */
export interface ObservedPull {
	readonly repo_url: string;
	readonly number: number;
	readonly state: Outcome["state"];
	/** The time, as ISO 8601. */
	readonly at: string;
}

/** The evaluations that a report reads. */
interface Recent {
	readonly repo_url?: string | undefined;
	/** The oldest time, as ISO 8601. */
	readonly since: string;
	readonly limit: number;
}

/** The most evaluations of one person; the oldest ones are removed first. */
const maxPerOwner = 2_000;
const maxAgeMs = 400 * 86_400_000;
/** The documents that one pass reads or removes. */
const batch = 100;
/** The most that a provider's clock may be ahead of ours, in milliseconds. */
const maxAheadMs = 300_000;

/** The evaluations of the installation. */
export class EvaluationRecords {
	readonly #store: NotingStore;

	constructor(store: NotingStore) {
		this.#store = store;
	}

	/**
	 * Returns the answer to an earlier request with the same key; undefined when there is none. @throws
	 * {UnprocessableError} for a key that was used for another request.
	 */
	async repeated(principal: Principal, { request, key }: AskedFor): Promise<string | undefined> {
		if (key === undefined) return undefined;
		const first = await this.#store.get(evaluationCollection, idOf(principal, key));
		if (!first) return undefined;
		refuseOtherRequest(first.fingerprint, fingerprintOf(request));
		return first.wire;
	}

	/** Stores an evaluation and returns its text; that of the first one when two requests have the same key. */
	async add(principal: Principal, made: NewEvaluation, { request, key }: AskedFor): Promise<string> {
		const { tenant, id: owner } = principal;
		const time = now();
		const id = key === undefined ? timeBasedUuid(time) : idOf(principal, key);
		const evaluated_at = isoTime(time);
		const evaluation: Evaluation = { id, ...made, evaluated_at, outcome: null };
		const wire = JSON.stringify(evaluation);
		const fingerprint = key === undefined ? {} : { fingerprint: fingerprintOf(request) };
		const document = { id, wire, tenant, owner, evaluated_at, rev: time, ...pullColumns(made), ...fingerprint };
		const isFirst = await insertOnce(() => this.#store.insert(evaluationCollection, document));
		failpoint("confidence.written");
		if (!isFirst) return (await this.repeated(principal, { request, key })) ?? wire;
		await this.#removeOldest(tenant, owner);
		return wire;
	}

	/** @throws {NotFoundError} */
	async get(principal: Principal, id: string): Promise<string> {
		const found = await this.#store.get(evaluationCollection, id);
		if (found && isAllowed(principal, "see", "merge-evaluation", found)) {
			if (relationTo(principal, found) === "administrator") await this.#store.noteRead?.(`merge_evaluations/${id}`);
			return found.wire;
		}
		throw new NotFoundError(`Evaluation "${id}" does not exist`, "EVALUATION_NOT_FOUND");
	}

	/** Returns a page, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	list(principal: Principal, { repo_url, limit, cursor, known }: EvaluationPage): Promise<StoredPage> {
		const { index, equals } = rangeFor(principal, repo_url);
		const place = { descending: true, ...(cursor !== undefined && { after: cursor }) };
		const page = { limit, columns: ["rev", "evaluated_at"], maxBytes: answerBytes, ...place } as const;
		const versions = { limit: limit + 1, column: "rev", ...place } as const;
		const list = {
			page: () => this.#store.find(evaluationCollection, index, { equals }, page),
			versions: () => this.#store.versions(evaluationCollection, index, { equals }, versions),
		};
		return storedPage(list, limit, known).catch(refuseCursor);
	}

	/** Yields the principal's evaluations, newest first. */
	async *recent(principal: Principal, { repo_url, since, limit }: Recent): AsyncGenerator<Evaluation> {
		const { index, equals } = rangeFor(principal, repo_url);
		let after: string | undefined;
		for (let left = limit; left > 0; ) {
			const place = { descending: true, ...(after !== undefined && { after }) };
			const page = {
				limit: Math.min(left, batch),
				columns: ["evaluated_at"],
				maxBytes: answerBytes,
				...place,
			} as const;
			const range = { equals, from: since };
			const { documents, next } = await this.#store.find(evaluationCollection, index, range, page);
			for (const { wire } of documents) yield evaluationOf(wire);
			if (next === undefined) return;
			left -= documents.length;
			after = next;
		}
	}

	/** Stores what became of the pull request, unless something newer, or something final, is known. */
	async settle(id: string, outcome: Outcome): Promise<void> {
		await compareAndSet<EvaluationDocument | undefined, Evaluation, EvaluationDocument>({
			what: "The evaluation",
			read: () => this.#store.get(evaluationCollection, id),
			decide: (document) => {
				if (!document) return undefined;
				const evaluation = evaluationOf(document.wire);
				return mayFollow(evaluation.outcome, outcome) ? { ...evaluation, outcome } : undefined;
			},
			write: (document, evaluation) => {
				const rev = document?.rev ?? 0;
				const change = { wire: JSON.stringify(evaluation), set: { rev: rev + 1 } };
				return this.#store.update(evaluationCollection, id, { equals: { rev } }, change);
			},
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
	async sweep(): Promise<number> {
		const old = { equals: [], to: isoTime(now() - maxAgeMs) };
		const { documents } = await this.#store.find(evaluationCollection, "by_age", old, { limit: batch, columns: [] });
		await this.#store.removeMany(
			evaluationCollection,
			documents.map(({ id }) => id),
		);
		return documents.length;
	}

	async #removeOldest(tenant: string, owner: string): Promise<void> {
		const range = { equals: [tenant, owner] };
		const count = await this.#store.count(evaluationCollection, "by_owner", range);
		if (count <= maxPerOwner) return;
		const page = { limit: Math.min(count - maxPerOwner, batch), columns: [] } as const;
		const { documents } = await this.#store.find(evaluationCollection, "by_owner", range, page);
		await this.#store.removeMany(
			evaluationCollection,
			documents.map(({ id }) => id),
		);
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

function idOf({ tenant, id }: Principal, key: string): string {
	return nameBasedUuid("merge-evaluation", tenant, id, key);
}

function evaluationOf(wire: string): Evaluation {
	return JSON.parse(wire);
}
