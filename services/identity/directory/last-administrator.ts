/**
 * Keeps the last administrator of a tenant, also when two of them are removed at once. Before somebody loses the role,
 * the tenant's record says so: administrators who are leaving do not count for others.
 */
import { ConflictError } from "#shared/base/errors.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import type { MemberRecords } from "../record/member-records.ts";
import type { TenantDocument } from "../record/tenant-collection.ts";
import type { TenantRecords } from "../record/tenant-records.ts";

/** The administrators that are read at most; that many do not leave at once. */
const maxAdministrators = 1_000;

/** Guards the changes that take the role of an administrator. */
export class LastAdministrator {
	readonly #tenants: TenantRecords;
	readonly #members: MemberRecords;

	constructor(tenants: TenantRecords, members: MemberRecords) {
		this.#tenants = tenants;
		this.#members = members;
	}

	/**
	 * Runs a change after which a person is no administrator of the tenant.
	 * @throws {ConflictError} when nobody else would be one; whatever `change` throws.
	 */
	async leave<T>(tenant: string, user: string, change: () => Promise<T>): Promise<T> {
		const member = await this.#members.get(tenant, user);
		if (member?.state !== "active" || member.role !== "admin") return change();
		await this.#mark(tenant, user);
		try {
			return await change();
		} finally {
			// A mark that remains is careful: the person does not count as the last administrator until removed again.
			await this.#clear(tenant, user).catch(() => {});
		}
	}

	async #mark(tenant: string, user: string): Promise<void> {
		await this.#change(tenant, async (leaving) => {
			const all = await this.#members.administrators(tenant, maxAdministrators);
			if (all.every((one) => one === user || leaving.includes(one)))
				throw new ConflictError("The last administrator of a tenant cannot be removed", "LAST_ADMINISTRATOR");
			return [...leaving.filter((one) => one !== user), user];
		});
	}

	#clear(tenant: string, user: string): Promise<void> {
		return this.#change(tenant, async (leaving) => leaving.filter((one) => one !== user));
	}

	async #change(tenant: string, next: (leaving: readonly string[]) => Promise<readonly string[]>): Promise<void> {
		await compareAndSet({
			what: "The tenant",
			read: async () => {
				const document = await this.#tenants.get(tenant);
				return document && { document, leaving: await next(leavingOf(document)) };
			},
			decide: (read) => read,
			write: (_read, { document, leaving }) => this.#tenants.setLeaving(document, leaving),
		});
	}
}

function leavingOf({ leaving }: TenantDocument): readonly string[] {
	return Array.isArray(leaving) ? leaving.filter((one) => typeof one === "string") : [];
}
