/**
 * The repository of pull requests. Every method takes the principal first: records of other tenants do not exist for it.
 */
import { mayUseSession } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { pullCollection, type PullDocument, type PullRecord } from "./pull-collection.ts";

/** The most records of one repository whose sessions a list names. */
const maxListed = 500;

/** The request that opens a pull request, when it has an `Idempotency-Key`. */
interface KeyedRequest {
	readonly key: string;
	readonly fingerprint: string;
}

/** The name of a pull request in the store; the name of its repository is that of `FoundProvider`. */
type StoredName = Pick<PullRecord, "repo" | "number">;

/** How a pull request was merged; null where nobody says it. */
interface MergeDetails {
	readonly method: string | null;
	readonly sha: string | null;
}

interface StoredPull {
	readonly record: PullRecord;
	readonly owner: string;
	readonly fingerprint: string | undefined;
}

export class PullRecords {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof pullCollection>;

	/** @param written Called after every write, which may have an event. */
	constructor(store: Documents, written: () => void) {
		this.#store = store;
		this.#records = new ResourceRecords(store, {
			collection: pullCollection,
			noun: "Pull request",
			keyed: "pull-request-key",
			written: () => {
				failpoint("pulls.written");
				written();
			},
		});
	}

	/** Stores a pull request that was opened from a session of the principal; one that is stored already stays. */
	async opened(principal: Principal, record: PullRecord, request?: KeyedRequest): Promise<void> {
		const { session_id, number, url, repo_url } = record;
		const keyed = request && { key: this.#records.idOf(principal, request.key), fingerprint: request.fingerprint };
		const data = { session_id, pr_number: number, pr_url: url, repo_url };
		await this.#insert(principal, record, eventOf("pr_created", data), keyed);
	}

	/** Returns the pull request that the first request with this key opened. */
	async ofKey(principal: Principal, key: string): Promise<StoredPull | undefined> {
		return stored(await this.#records.first({ index: "by_key", equals: [this.#records.idOf(principal, key)] }));
	}

	/** Returns the newest pull request of a session that the principal may see. */
	async ofSession(principal: Principal, session: string): Promise<StoredPull | undefined> {
		const newest = await this.#records.first({ index: "of_session", equals: [session] });
		return newest && mayUseSession(principal, "see", newest) ? stored(newest) : undefined;
	}

	/** Returns the record of a pull request, whoever of the tenant opened it. */
	async find(principal: Principal, { repo, number }: StoredName): Promise<StoredPull | undefined> {
		return stored(await this.#records.stored(idOf(principal.tenant, repo, number)));
	}

	/** Returns the sessions that the principal may see, by the number of their pull request in a repository. */
	async sessionsOf(principal: Principal, repo: string): Promise<ReadonlyMap<number, string>> {
		const range = { equals: [principal.tenant, repo] };
		const page = { limit: maxListed, descending: true, columns: ["tenant", "owner", "session", "number"] as const };
		const { documents } = await this.#store.find(pullCollection, "of_repo", range, page);
		const seen = documents.filter((document) => mayUseSession(principal, "see", document));
		return new Map(seen.flatMap(({ number, session }) => (number && session ? [[number, session] as const] : [])));
	}

	/**
	 * Stores that a pull request is merged, with its one event `pr_merged`, however often it is told. One that nobody
	 * opened through the platform becomes the principal's.
	 */
	async merged(principal: Principal, pull: Omit<PullRecord, "state" | "created_at">): Promise<void> {
		const { merge_method: method, merge_sha: sha } = pull;
		const id = idOf(principal.tenant, pull.repo, pull.number);
		if (await this.#enter(id, "merged", { method, sha })) return;
		const record: PullRecord = { ...pull, state: "merged", created_at: isoTime() };
		if (!(await this.#insert(principal, record, mergeOf(record)))) await this.#enter(id, "merged", { method, sha });
	}

	/** Stores what the provider says of a pull request's state, if it is recorded; `open` changes nothing. */
	async observed(
		principal: Principal,
		name: StoredName,
		state: PullRecord["state"],
		sha: string | null,
	): Promise<void> {
		if (state !== "open")
			await this.#enter(idOf(principal.tenant, name.repo, name.number), state, { method: null, sha });
	}

	/** Stores what a verified message of the provider says, in the records of all tenants. Only webhooks may call it. */
	async told({ repo, number }: StoredName, state: "merged" | "closed", sha: string | null): Promise<void> {
		const range = { equals: [repo, number] };
		const { documents } = await this.#store.find(pullCollection, "by_number", range, { limit: maxListed, columns: [] });
		for (const { id } of documents) await this.#enter(id, state, { method: null, sha });
	}

	/** Whether the record is there; its state is then this one, or was final before. */
	async #enter(id: string, state: "merged" | "closed", { method, sha }: MergeDetails): Promise<boolean> {
		const changed = await this.#records.changeOf(id, (document) => {
			if (document.state === "merged" || document.state === state) return undefined;
			const record: PullRecord = { ...recordOf(document), state, merge_method: method, merge_sha: sha };
			const event = state === "merged" ? mergeOf(record) : undefined;
			return { wire: JSON.stringify(record), set: { state }, event };
		});
		return changed !== undefined;
	}

	/** Whether the record was new. */
	#insert(
		{ tenant, id: owner }: Principal,
		record: PullRecord,
		event: ReturnType<typeof eventOf>,
		keyed?: { key: string; fingerprint: string },
	): Promise<boolean> {
		const { session_id, repo, number, state, created_at } = record;
		const id = idOf(tenant, repo, number);
		const columns = { tenant, owner, repo, number, state, created_at, rev: 1, ...keyed };
		const session = session_id === null ? {} : { session: session_id };
		return this.#records.insert({ id, wire: JSON.stringify(record), ...columns, ...session }, event);
	}
}

function eventOf(type: "pr_created" | "pr_merged", data: object) {
	return { type, data: JSON.stringify(data), at: now() };
}

function mergeOf({ number, repo_url, merge_method, session_id }: PullRecord) {
	return eventOf("pr_merged", { pr_number: number, repo_url, merge_method, session_id });
}

function idOf(tenant: string, repo: string, number: number): string {
	return nameBasedUuid("pull", tenant, repo, String(number));
}

function stored(document: PullDocument | undefined): StoredPull | undefined {
	return document && { record: recordOf(document), owner: document.owner ?? "", fingerprint: document.fingerprint };
}

function recordOf({ wire }: PullDocument): PullRecord {
	return JSON.parse(wire);
}
