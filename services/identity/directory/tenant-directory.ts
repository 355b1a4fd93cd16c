/** Tenants as principals see and change them. Every method takes the principal first. */
import { bound } from "#shared/base/bounds.ts";
import { randomBytes } from "node:crypto";
import { administersTenant } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { TenantCreate, TenantUpdate } from "#shared/contracts/identity/tenants.ts";
import { ConflictError, ForbiddenError, NotFoundError } from "#shared/base/errors.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import { readPage, type StoredPage } from "#shared/store/pages/stored-page.ts";
import type { TenantDocument } from "../record/tenant-collection.ts";
import type { TenantRecords } from "../record/tenant-records.ts";
import type { Reach } from "./reach.ts";

/** Most tenants from a root to the lowest one. */

export class TenantDirectory {
	readonly #tenants: TenantRecords;
	readonly #reach: Reach;

	constructor(tenants: TenantRecords, reach: Reach) {
		this.#tenants = tenants;
		this.#reach = reach;
	}

	/** Returns a page of the tenants that the principal sees, by path. @param parent Only the tenants right below this one. */
	async list(principal: Principal, parent: string | undefined, query: PageRequest): Promise<StoredPage> {
		const { limit, cursor, known } = query;
		const page = { limit, maxBytes: answerBytes, ...(cursor !== undefined && { after: cursor }) };
		const found = administersTenant(principal) ? this.#below(principal, parent, page) : this.#own(principal, parent);
		return readPage(await found.catch(refuseCursor), known);
	}

	/** @throws {NotFoundError} */
	async get(principal: Principal, id: string): Promise<string> {
		return (await this.#reach.seen(principal, id)).wire;
	}

	/**
	 * Creates a tenant.
	 * @throws {NotFoundError} for a parent that the principal does not administer; {ForbiddenError} without one, and for a
	 * chosen id, unless the principal administers the installation: an identity provider may give that name to other
	 * people tomorrow, who would then be below this principal; {ConflictError} for an id that is or was taken.
	 */
	async create(principal: Principal, { tenant_id, parent_id, ...given }: TenantCreate): Promise<string> {
		const parent = await this.#parent(principal, parent_id ?? undefined);
		if (typeof tenant_id === "string" && !this.#reach.isOperator(principal))
			throw new ForbiddenError("Only administrators of the default tenant choose the id of a tenant", "CHOSEN_ID");
		const id = tenant_id ?? randomBytes(4).toString("hex");
		const created = await this.#tenants.insert({ id, ...given }, parent);
		if (created) return created.wire;
		// The parent may have been deleted in the meantime.
		if (parent) await this.#reach.administered(principal, parent.id);
		throw new ConflictError(`There is or was a tenant "${id}"`, "TENANT_TAKEN");
	}

	/** @throws {NotFoundError}; {ForbiddenError} for the principal's own tenant. */
	async change(principal: Principal, id: string, update: TenantUpdate): Promise<string> {
		await this.#reach.above(principal, id);
		const changed = await this.#tenants.change(id, update);
		return changed?.wire ?? this.get(principal, id);
	}

	/** @throws {NotFoundError}; {ForbiddenError} for the own tenant; {ConflictError} when there are tenants below it. */
	async delete(principal: Principal, id: string): Promise<void> {
		if (this.#reach.isDefault(id) && this.#reach.isOperator(principal))
			throw new ConflictError("The default tenant cannot be deleted", "DEFAULT_TENANT");
		await this.#reach.above(principal, id);
		if (!(await this.#tenants.delete(id))) throw new NotFoundError(`Tenant "${id}" does not exist`, "TENANT_NOT_FOUND");
	}

	async #below(principal: Principal, parent: string | undefined, page: { limit: number }) {
		if (parent !== undefined) {
			const above = await this.#reach.administered(principal, parent).catch(absent);
			return above ? this.#tenants.children(parent, page) : { documents: [] };
		}
		const lineage = this.#reach.isOperator(principal) ? undefined : await this.#reach.lineageOf(principal);
		return this.#tenants.below(lineage, page);
	}

	async #own(principal: Principal, parent: string | undefined) {
		const own = await this.#reach.seen(principal, principal.tenant);
		return { documents: parent === undefined || own.parent === parent ? [own] : [] };
	}

	async #parent(principal: Principal, id: string | undefined): Promise<TenantDocument | undefined> {
		if (id === undefined) {
			if (this.#reach.isOperator(principal)) return undefined;
			throw new ForbiddenError(
				"Only administrators of the default tenant create a tenant without a parent",
				"NO_PARENT",
			);
		}
		const parent = await this.#reach.administered(principal, id);
		const depth = (parent.lineage ?? "").split("/").length;
		if (depth > bound.tenantDepth) throw new ConflictError(`Tenants are at most ${bound.tenantDepth} deep`, "TOO_DEEP");
		return parent;
	}
}

/** An unknown parent has no tenants below it. */
function absent(error: unknown): undefined {
	if (!(error instanceof NotFoundError)) throw error;
}
