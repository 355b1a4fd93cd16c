/** The repository of tenants. Who may see and change which of them is decided by the directory. */
import { isoTime } from "#shared/base/clock.ts";
import { givenMembers } from "#shared/base/given-members.ts";
import type { Tenant, TenantCreate, TenantUpdate } from "#shared/contracts/identity/tenants.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { DocumentPage, Documents, Found } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import {
	belowLineage,
	lineageOf,
	tenantCollection,
	type TenantColumns,
	type TenantDocument,
} from "./tenant-collection.ts";

/** A new tenant; the id is chosen. */
type NewTenant = Omit<TenantCreate, "tenant_id" | "parent_id"> & { readonly id: string };

export class TenantRecords {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof tenantCollection>;

	constructor(store: Documents) {
		this.#store = store;
		const written = () => failpoint("tenants.written");
		this.#records = new ResourceRecords(store, { collection: tenantCollection, noun: "Tenant", written });
	}

	/** Returns a tenant, also a deleted one. */
	get(id: string): Promise<TenantDocument | undefined> {
		return this.#store.get(tenantCollection, id);
	}

	/** Inserts a tenant; returns undefined when its id is taken, also by a deleted one, or its parent was deleted meanwhile. */
	async insert({ id, ...given }: NewTenant, parent?: TenantDocument): Promise<TenantDocument | undefined> {
		const path = parent ? `${tenantOf(parent).path}.${id}` : id;
		const { name, tier, max_sessions, max_storage_gb } = given;
		const tenant: Tenant = {
			id,
			path,
			name,
			parent_id: parent?.id ?? null,
			tier,
			max_sessions,
			max_storage_gb,
			created_at: isoTime(),
		};
		const document: TenantDocument = {
			id,
			wire: JSON.stringify(tenant),
			state: "active",
			lineage: lineageOf(id, parent?.lineage),
			rev: 1,
			...(parent && { parent: parent.id }),
		};
		if (!(await insertOnce(() => this.#store.insert(tenantCollection, document)))) return undefined;
		if (parent && !(await this.#touch(parent.id))) {
			await this.#store.remove(tenantCollection, id, { equals: { rev: 1 } });
			return undefined;
		}
		failpoint("tenants.written");
		return document;
	}

	/** Changes quotas or tier; undefined when there is no such tenant. */
	change(id: string, update: TenantUpdate): Promise<TenantDocument | undefined> {
		const given = givenMembers(update);
		return this.#records.change(
			() => this.#active(id),
			(document) => ({ wire: JSON.stringify({ ...tenantOf(document), ...given }) }),
		);
	}

	/**
	 * Deletes a tenant; returns whether there was one.
	 * @throws {ConflictError} when there are tenants below it.
	 */
	async delete(id: string): Promise<boolean> {
		let below = 0;
		const read = async () => {
			const document = await this.#active(id);
			// A tenant that is created below it after this count changes `rev`.
			below = await this.#countBelow(id);
			return document;
		};
		const deleted = await this.#records.change(read, () => {
			if (below > 0) throw new ConflictError(`Tenant "${id}" has tenants below it`, "TENANT_HAS_CHILDREN");
			return { set: { state: "deleted" } };
		});
		return deleted !== undefined;
	}

	/** Marks administrators as leaving or not; undefined when another writer was faster or there is no such tenant. */
	async setLeaving(document: TenantDocument, leaving: readonly string[]): Promise<TenantDocument | undefined> {
		return document.state === "active" ? this.#records.write(document, { set: { leaving } }) : undefined;
	}

	/** Returns a page of the tenants in the subtree of this lineage; of all without one. */
	below(lineage: string | undefined, page: DocumentPage<TenantColumns>): Promise<Found<TenantColumns>> {
		const range = { equals: ["active"], ...(lineage !== undefined && belowLineage(lineage)) };
		return this.#store.find(tenantCollection, "by_lineage", range, page);
	}

	children(parent: string, page: DocumentPage<TenantColumns>): Promise<Found<TenantColumns>> {
		return this.#store.find(tenantCollection, "by_parent", { equals: ["active", parent] }, page);
	}

	async #active(id: string): Promise<TenantDocument | undefined> {
		const document = await this.get(id);
		return document?.state === "active" ? document : undefined;
	}

	#countBelow(id: string): Promise<number> {
		return this.#store.count(tenantCollection, "by_parent", { equals: ["active", id] });
	}

	/** Changes `rev` of an active tenant, so that a deletion under way looks again. */
	async #touch(id: string): Promise<boolean> {
		return (
			(await this.#store.update(tenantCollection, id, { equals: { state: "active" } }, { inc: { rev: 1 } })) !==
			undefined
		);
	}
}

function tenantOf({ wire }: TenantDocument): Tenant {
	return JSON.parse(wire);
}
