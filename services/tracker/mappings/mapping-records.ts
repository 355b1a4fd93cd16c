/**
 * The repository of mappings. Every method takes the principal first: mappings of other tenants do not exist for the
 * principal.
 */
import { administersTenant, isAllowed } from "#shared/contracts/access/access-table.ts";
import type { Owner, Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Mapping, MappingCreate } from "#shared/contracts/tracker/mappings.ts";
import { ConflictError, UnprocessableError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import { readRepositoryUrl } from "#shared/wire/git/repository-url.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import type { StoredPage } from "#shared/store/pages/stored-page.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { mappingCollection } from "./mapping-collection.ts";

/** A request with an `Idempotency-Key`. */
interface KeyedRequest {
	/** The key with the person who has used it. */
	readonly key: string;
	readonly fingerprint: string;
}

export class MappingRecords {
	readonly #protocols: readonly string[];
	readonly #records: ResourcesIn<typeof mappingCollection, Principal>;

	/** @param protocols The protocols with which sessions may name repositories. */
	constructor(store: Documents, protocols: readonly string[]) {
		this.#protocols = protocols;
		this.#records = new ResourceRecords(store, {
			collection: mappingCollection,
			noun: "Mapping",
			keyed: "tracker-mapping-key",
			isAllowed: (principal: Principal, action, mapping) =>
				isAllowed(principal, action === "delete" ? "change" : action, "mapping", mapping),
			refusals: { delete: "Only its creator or an administrator may delete a mapping" },
			written: () => failpoint("mappings.written"),
		});
	}

	/** Returns a page of the tenant's mappings, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	list({ tenant }: Principal, page: PageRequest): Promise<StoredPage> {
		return this.#records.list({ index: "by_tenant", equals: [tenant] }, page);
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
		const keyed =
			key === undefined ? undefined : { key: this.#records.idOf(principal, key), fingerprint: fingerprintOf(request) };
		// One that is made again has another revision, and so do lists have another tag.
		const columns = { tenant, owner, repo, created_at, rev: now(), ...keyed, ...(isForTenant && { reach: "tenant" }) };
		return (await this.#records.insert({ id, wire, ...columns })) ? wire : this.#repeated(id, keyed);
	}

	/** Deletes a mapping. @throws {NotFoundError}; {ForbiddenError} for a mapping of somebody else. */
	delete(principal: Principal, id: string): Promise<void> {
		return this.#records.delete(principal, id);
	}

	/**
	 * Returns the mapping of a repository, whatever form its name has, for sessions of a person: the person's own one, or
	 * else the tenant's; undefined when there is none.
	 */
	async ofRepository({ tenant, id: owner }: Owner, repo: string): Promise<Mapping | undefined> {
		if (repo === "") return undefined;
		const key = repositoryKey(repo);
		const ids = [mappingId(tenant, key, owner), mappingId(tenant, key)];
		const [own, shared] = await Promise.all(ids.map((id) => this.#records.stored(id)));
		const isForAll = shared?.reach === "tenant" || shared?.owner === owner;
		const document = own ?? (isForAll ? shared : undefined);
		return document && JSON.parse(document.wire);
	}

	/** Returns the mapping that a request with the same key has made. @throws {UnprocessableError} {ConflictError} */
	async #repeated(id: string, keyed: KeyedRequest | undefined): Promise<string> {
		const former = keyed && (await this.#records.first({ index: "by_key", equals: [keyed.key] }));
		if (!keyed || !former) throw new ConflictError("This repository is mapped already", "MAPPING_EXISTS", { id });
		refuseOtherRequest(former.fingerprint, keyed.fingerprint);
		return former.wire;
	}
}

/** Names of the same repository give the same id. @param owner The person that it is for; absent: the tenant. */
function mappingId(tenant: string, repo: string, owner?: string): string {
	return nameBasedUuid("tracker-mapping", tenant, repo, ...(owner === undefined ? [] : [owner]));
}

function mappingOf(request: MappingCreate, { id, created_at }: Pick<Mapping, "id" | "created_at">): Mapping {
	const { repo_url, project_id, project_name } = request;
	const { tracker = null, connection_id = null, on_start = null, on_merge = null } = request;
	return { id, repo_url, project_id, project_name, tracker, connection_id, on_start, on_merge, created_at };
}
