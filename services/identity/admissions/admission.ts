/**
 * Admits people whom an identity provider has identified: chooses their tenant, makes them users and members with their
 * first request, and says with which roles they act. Nothing is written for a person who is known.
 */
import { LRUCache } from "lru-cache";
import { type Principal, principalKey } from "#shared/bus/principal.ts";
import type { IdentifiedPerson, Standing } from "#shared/contracts/identity/admissions.ts";
import type { TenantRole } from "#shared/contracts/identity/people-fields.ts";
import type { User } from "#shared/contracts/identity/users.ts";
import { ForbiddenError } from "#shared/errors.ts";
import { type MemberDocument, rolesFor, strongestRole } from "../record/member-collection.ts";
import type { MemberRecords } from "../record/member-records.ts";
import type { TenantDocument } from "../record/tenant-collection.ts";
import type { TenantRecords } from "../record/tenant-records.ts";
import type { UserRecords } from "../record/user-records.ts";

/** The repositories of the directory. */
export interface Records {
	readonly users: UserRecords;
	readonly tenants: TenantRecords;
	readonly members: MemberRecords;
}

/** The role of somebody about whom neither the provider nor an administrator has said anything. */
const firstRole: TenantRole = "developer";

const maxProvisioned = 10_000;
/** The time after which a principal of a configuration is looked up again, in milliseconds. */
const provisionedMs = 60_000;

/** The admission of one process; the store is its only memory of people. */
export class Admission {
	readonly #records: Records;
	readonly #defaultTenant: string;
	readonly #provisioned = new LRUCache<string, true>({ max: maxProvisioned, ttl: provisionedMs });

	constructor(records: Records, defaultTenant: string) {
		this.#records = records;
		this.#defaultTenant = defaultTenant;
	}

	/** @throws {ForbiddenError} for a person without a tenant, and for a removed member. */
	async admit(person: IdentifiedPerson): Promise<Standing> {
		const tenant = await this.#tenantOf(person);
		await this.#records.users.ensure(person);
		const { state } = await this.#ensureTenant(tenant);
		if (state !== "active") throw new ForbiddenError("Your tenant was deleted", "TENANT_DELETED");
		const given = strongestRole(person.roles);
		const member = await this.#member(tenant, person.id, given);
		if (member.state !== "active")
			throw new ForbiddenError("You are no member of this tenant any more", "NOT_A_MEMBER");
		return { tenant, roles: rolesFor(strongestRole([member.role ?? ""]) ?? "viewer") };
	}

	/** Returns the stored roles of a member; null for others. */
	async standing(user: string, tenant: string): Promise<readonly string[] | null> {
		const [member, home] = await Promise.all([
			this.#records.members.get(tenant, user),
			this.#records.tenants.get(tenant),
		]);
		const role = strongestRole([member?.role ?? ""]);
		return member?.state === "active" && home?.state === "active" && role ? rolesFor(role) : null;
	}

	/**
	 * Makes a principal whom the configuration names a user and a member, as it would be after an admission, and returns
	 * the user. The configuration decides about the rights of such a principal, whatever is stored.
	 */
	async provision(principal: Principal): Promise<User> {
		const { kind, id, tenant, roles } = principal;
		const key = `${principalKey(principal)} ${roles.join()}`;
		const user = await this.#records.users.ensure({ id });
		// The roles of a token are those of its person only as far as its scopes reach.
		if (kind !== "user" || this.#provisioned.get(key)) return user;
		const { state } = await this.#ensureTenant(tenant);
		if (state === "active") await this.#member(tenant, id, strongestRole(roles));
		this.#provisioned.set(key, true);
		return user;
	}

	/**
	 * Chooses the tenant: the provider's word, else the one tenant that administrators have added the person to, else the
	 * default one. A provider that names tenants and none for this person (null) does not mean the default one, whose
	 * administrators see all tenants.
	 */
	async #tenantOf({ id, tenant }: IdentifiedPerson): Promise<string> {
		if (typeof tenant === "string") return tenant;
		const all = await this.#records.members.ofPerson(id);
		const added = all.filter(({ state, source }) => state === "active" && source === "granted");
		const granted = added.length > 1 ? await this.#inUse(added) : added;
		if (granted.length > 1)
			throw new ForbiddenError("You are a member of several tenants, and your token names none", "AMBIGUOUS_TENANT");
		const [only] = granted;
		if (only?.tenant !== undefined) return only.tenant;
		if (tenant === null)
			throw new ForbiddenError("Your token names no tenant, and you are a member of none", "NO_TENANT");
		return this.#defaultTenant;
	}

	/**
	 * Returns at most two of these memberships, in tenants that were not deleted: nobody can remove anybody from a deleted
	 * one. When all were deleted, it returns one, so that the person is told.
	 */
	async #inUse(added: readonly MemberDocument[]): Promise<readonly MemberDocument[]> {
		const found: MemberDocument[] = [];
		for (const member of added) {
			const home = await this.#records.tenants.get(member.tenant ?? "");
			if (home?.state === "active") found.push(member);
			if (found.length > 1) break;
		}
		return found.length > 0 ? found : added.slice(0, 1);
	}

	/** Returns the tenant, which is created as a root when nobody has named it before. */
	async #ensureTenant(id: string): Promise<TenantDocument> {
		const { tenants } = this.#records;
		const isDefault = id === this.#defaultTenant;
		const quotas = isDefault ? { max_sessions: 100, max_storage_gb: 500 } : { max_sessions: 5, max_storage_gb: 50 };
		const known = await tenants.get(id);
		if (known) return known;
		const name = isDefault ? "Default" : id;
		const created = await tenants.insert({ id, name, tier: "developer", ...quotas });
		return created ?? (await tenants.get(id)) ?? this.#ensureTenant(id);
	}

	async #member(tenant: string, user: string, given: TenantRole | undefined): Promise<MemberDocument> {
		const { members } = this.#records;
		const member = await members.ensure(tenant, user, { role: given ?? firstRole, source: "claim" });
		// An administrator by the provider's word, about whom it says nothing any more, is none.
		const now = given ?? (member.role === "admin" ? firstRole : undefined);
		const isOld = now !== undefined && now !== member.role && member.source === "claim";
		return isOld && member.state === "active" ? ((await members.follow(tenant, user, now)) ?? member) : member;
	}
}
