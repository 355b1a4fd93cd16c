/**
 * The repository of mappings. Every method takes the principal first: mappings of other tenants do not exist for the
 * principal.
 */
import { administersTenant, isAllowed } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Mapping, MappingCreate } from "#shared/contracts/tracker/mappings.ts";
import { ConflictError, ForbiddenError, NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import { readRepositoryUrl } from "#shared/wire/git/repository-url.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { type StoredPage, storedPage } from "#shared/store/pages/stored-page.ts";
import { mappingCollection, type MappingDocument } from "./mapping-collection.ts";

/** The position of a page and what the client has already. */
export interface MappingPage {
	readonly limit: number;
	readonly cursor?: string | undefined;
	/** The client's `If-None-Match`. */
	readonly known?: string | undefined;
}

/** A request with an `Idempotency-Key`. */
interface KeyedRequest {
	/** The key with the person who has used it. */
	readonly key: string;
	readonly fingerprint: string;
}

/** The mappings of the installation. */
export class MappingRecords {
	readonly #store: DocumentStore;
	readonly #protocols: readonly string[];

	/** @param protocols The protocols with which sessions may name repositories. */
	constructor(store: DocumentStore, protocols: readonly string[]) {
		this.#store = store;
		this.#protocols = protocols;
	}

	/** Returns a page of the tenant's mappings, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	list({ tenant }: Principal, { limit, cursor, known }: MappingPage): Promise<StoredPage> {
		const range = { equals: [tenant] };
		const place = { descending: true, ...(cursor !== undefined && { after: cursor }) };
		const columns = ["rev", "created_at"] as const;
		const list = {
			page: () =>
				this.#store.find(mappingCollection, "by_tenant", range, { ...place, limit, columns, maxBytes: answerBytes }),
			versions: () =>
				this.#store.versions(mappingCollection, "by_tenant", range, { ...place, limit: limit + 1, column: "rev" }),
		};
		return storedPage(list, limit, known).catch(refuseCursor);
	}

	/**
	 * Stores a mapping: an administrator's for all sessions of the tenant, and another person's for the person's own ones,
	 * because issues move with the credential of the session's owner. A repeated request with the same key returns the mapping that the first one created.
	 * @throws {UnprocessableError} for a repository that no session can have, and for a key that was used for another
	 * request; {ConflictError} when the repository is mapped already.
	 */
	async create(principal: Principal, request: MappingCreate, key?: string): Promise<string> {
		const { tenant, id: owner } = principal;
		const read = readRepositoryUrl(request.repo_url, this.#protocols);
		if ("refused" in read) throw new UnprocessableError(read.refused, "REPOSITORY_REFUSED");
		const repo = repositoryKey(request.repo_url);
		const created_at = isoTime();
		const isForTenant = administersTenant(principal);
		const id = mappingId(tenant, repo, isForTenant ? undefined : owner);
		const wire = JSON.stringify(mappingOf(request, { id, created_at }));
		const keyed = key === undefined ? undefined : { key: keyName(principal, key), fingerprint: fingerprintOf(request) };
		// One that is made again has another revision, and so do lists have another tag.
		const columns = { tenant, owner, repo, created_at, rev: now(), ...keyed, ...(isForTenant && { reach: "tenant" }) };
		const isFirst = await insertOnce(() => this.#store.insert(mappingCollection, { id, wire, ...columns }));
		failpoint("mappings.written");
		return isFirst ? wire : this.#repeated(id, keyed);
	}

	/** Deletes a mapping. @throws {NotFoundError}; {ForbiddenError} for a mapping of somebody else. */
	async delete(principal: Principal, id: string): Promise<void> {
		const document = await this.#get(principal, id);
		if (!isAllowed(principal, "change", "mapping", document))
			throw new ForbiddenError("Only its creator or an administrator may delete a mapping", "MAPPING_OF_ANOTHER");
		const { rev = 0 } = document;
		if (!(await this.#store.remove(mappingCollection, id, { equals: { rev } }))) throw unknown(id);
		failpoint("mappings.written");
	}

	/**
	 * Returns the mapping of a repository, whatever form its name has, for sessions of a person: the person's own one, or
	 * else the tenant's; undefined when there is none.
	 */
	async ofRepository(
		{ tenant, id: owner }: Pick<Principal, "tenant" | "id">,
		repo: string,
	): Promise<Mapping | undefined> {
		if (repo === "") return undefined;
		const key = repositoryKey(repo);
		const ids = [mappingId(tenant, key, owner), mappingId(tenant, key)];
		const [own, shared] = await Promise.all(ids.map((id) => this.#store.get(mappingCollection, id)));
		const isForAll = shared?.reach === "tenant" || shared?.owner === owner;
		const document = own ?? (isForAll ? shared : undefined);
		return document && JSON.parse(document.wire);
	}

	/** Returns the mapping that a request with the same key has made. @throws {UnprocessableError} {ConflictError} */
	async #repeated(id: string, keyed: KeyedRequest | undefined): Promise<string> {
		const range = { equals: [keyed?.key ?? ""] };
		const found = keyed && (await this.#store.find(mappingCollection, "by_key", range, { limit: 1 }));
		const former = found?.documents[0];
		if (!keyed || !former) throw new ConflictError("This repository is mapped already", "MAPPING_EXISTS", { id });
		refuseOtherRequest(former.fingerprint, keyed.fingerprint);
		return former.wire;
	}

	async #get(principal: Principal, id: string): Promise<MappingDocument> {
		const document = await this.#store.get(mappingCollection, id);
		if (!document || !isAllowed(principal, "see", "mapping", document)) throw unknown(id);
		return document;
	}
}

/** Names of the same repository give the same id. @param owner The person that it is for; absent: the tenant. */
function mappingId(tenant: string, repo: string, owner?: string): string {
	return nameBasedUuid("tracker-mapping", tenant, repo, ...(owner === undefined ? [] : [owner]));
}

function keyName({ tenant, id }: Principal, key: string): string {
	return nameBasedUuid("tracker-mapping-key", tenant, id, key);
}

function mappingOf(request: MappingCreate, { id, created_at }: Pick<Mapping, "id" | "created_at">): Mapping {
	const { repo_url, project_id, project_name } = request;
	const { tracker = null, connection_id = null, on_start = null, on_merge = null } = request;
	return { id, repo_url, project_id, project_name, tracker, connection_id, on_start, on_merge, created_at };
}

function unknown(id: string): NotFoundError {
	return new NotFoundError(`Mapping "${id}" does not exist`, "MAPPING_NOT_FOUND");
}
