/**
 * Decides which tenants a principal sees and administers: administrators their own tenant and all below it, those of the
 * default tenant every tenant, and everybody else sees their own one.
 */
import { administersTenant, isAllowed, isOperator } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { ForbiddenError, NotFoundError } from "#shared/base/errors.ts";
import type { TenantDocument } from "../record/tenant-collection.ts";
import type { TenantRecords } from "../record/tenant-records.ts";

/** Tenants beyond the reach of a principal do not exist for the principal. */
export class Reach {
	readonly #tenants: TenantRecords;
	readonly #defaultTenant: string;

	constructor(tenants: TenantRecords, defaultTenant: string) {
		this.#tenants = tenants;
		this.#defaultTenant = defaultTenant;
	}

	/** Whether the principal administers the whole installation. */
	isOperator(principal: Principal): boolean {
		return isOperator(principal, this.#defaultTenant);
	}

	/** Whether this is the tenant of the operators, which nobody may delete. */
	isDefault(id: string): boolean {
		return id === this.#defaultTenant;
	}

	/** Returns the lineage of the principal's own tenant, above all that it administers. */
	async lineageOf({ tenant }: Principal): Promise<string> {
		const own = await this.#tenants.get(tenant);
		if (own?.lineage === undefined) throw notFound(tenant);
		return own.lineage;
	}

	/** Returns a tenant that the principal may see. @throws {NotFoundError} */
	async seen(principal: Principal, id: string): Promise<TenantDocument> {
		const document = await this.#active(id);
		const tenant = (await this.administers(principal, document)) ? principal.tenant : id;
		if (isAllowed(principal, "see", "tenant", { tenant })) return document;
		throw notFound(id);
	}

	/** Returns a tenant that the principal may change. @throws {NotFoundError} */
	async administered(principal: Principal, id: string): Promise<TenantDocument> {
		const document = await this.#active(id);
		const { tenant } = principal;
		const isReached = await this.administers(principal, document);
		if (isReached && isAllowed(principal, "change", "tenant", { tenant, owner: null })) return document;
		throw notFound(id);
	}

	/**
	 * Returns a tenant whose quotas the principal may set: not its own one, whose quotas bound the principal.
	 * @throws {NotFoundError | ForbiddenError}
	 */
	async above(principal: Principal, id: string): Promise<TenantDocument> {
		const document = await this.administered(principal, id);
		if (principal.tenant !== id || this.isOperator(principal)) return document;
		throw new ForbiddenError("Administrators above a tenant set its quotas, and not its own ones", "OWN_TENANT");
	}

	async administers(principal: Principal, { lineage = "" }: TenantDocument): Promise<boolean> {
		if (!administersTenant(principal)) return false;
		return this.isOperator(principal) || lineage.startsWith(await this.lineageOf(principal));
	}

	async #active(id: string): Promise<TenantDocument> {
		const document = await this.#tenants.get(id);
		if (document?.state !== "active") throw notFound(id);
		return document;
	}
}

function notFound(id: string): NotFoundError {
	return new NotFoundError(`Tenant "${id}" does not exist`, "TENANT_NOT_FOUND");
}
