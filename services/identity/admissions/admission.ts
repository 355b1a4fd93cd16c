/**
 * Admits people whom an identity provider has identified: chooses their tenant, makes them users and members with their
 * first request, and says with which roles they act. Nothing is written for a person who is known.
 */
import { LRUCache } from "lru-cache";
import { type Principal, principalKey } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import type { IdentifiedPerson, Standing, StoredStanding } from "#shared/contracts/identity/admissions.ts";
import type { TenantRole } from "#shared/contracts/identity/people-fields.ts";
import type { User } from "#shared/contracts/identity/users.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import { confirmedAt, type MemberDocument, rolesFor, strongestRole } from "../record/member-collection.ts";
import type { MemberRecords } from "../record/member-records.ts";
import { left } from "../record/provider-word.ts";
import type { TenantDocument } from "../record/tenant-collection.ts";
import type { TenantRecords } from "../record/tenant-records.ts";
import type { UserRecords } from "../record/user-records.ts";
import type { TenantChoice } from "./tenant-choice.ts";

/** The repositories of the directory. */
export interface Records {
	readonly users: UserRecords;
	readonly tenants: TenantRecords;
	readonly members: MemberRecords;
}

const maxProvisioned = 10_000;
/** The time after which a principal of a configuration is looked up again, in milliseconds. */
const provisionedMs = 60_000;

/** The admission of one process; the store is its only memory of people. */
export class Admission {
	readonly #records: Records;
	readonly #operators: string;
	readonly #choice: TenantChoice;
	readonly #provisioned = new LRUCache<string, true>({ max: maxProvisioned, ttl: provisionedMs });

	/** @param operators The tenant of the operators. */
	constructor(records: Records, operators: string, choice: TenantChoice) {
		this.#records = records;
		this.#operators = operators;
		this.#choice = choice;
	}

	/**
	 * Returns where and as what a person acts. @param wanted The tenant that the request names.
	 * @throws {ForbiddenError} for a person without a tenant, and for a removed member.
	 */
	async admit(person: IdentifiedPerson, wanted?: string): Promise<Standing> {
		const { users, members } = this.#records;
		const at = person.as_of ?? now();
		const { isNewest, actsIn } = await users.hear(person);
		const stored = await members.ofPerson(person.id);
		const all = isNewest ? await this.#afterMoves(person, stored, at) : stored;
		const tenant = await this.#choice.of(person, all, { wanted, actsIn });
		const known = all.find((one) => one.tenant === tenant);
		// A word that is older than the newest one of the person makes and renews no membership, wherever it was said.
		if (!isNewest && !known) throw outdated();
		const { state } = await this.#ensureTenant(tenant);
		if (state !== "active") throw new ForbiddenError("Your tenant was deleted", "TENANT_DELETED");
		if (!isNewest && known) return this.#standingOf(tenant, known);
		const isDated = person.as_of !== undefined;
		const word = { role: strongestRole(person.roles), at, isDated };
		return this.#standingOf(tenant, await members.confirm(tenant, person.id, word, known));
	}

	/** Returns the stored standing of a member; null for others. Nothing is written. */
	async standing(user: string, tenant: string): Promise<StoredStanding | null> {
		const [member, home] = await Promise.all([
			this.#records.members.get(tenant, user),
			this.#records.tenants.get(tenant),
		]);
		if (member?.state !== "active" || home?.state !== "active" || !strongestRole([member.role ?? ""])) return null;
		return { roles: this.#rolesOf(member), epoch: member.epoch ?? 0, confirmed_at: confirmedAt(member) };
	}

	/**
	 * Makes a principal whom the configuration names a user and a member, as it would be after an admission, and returns
	 * the user. The configuration decides about the rights of such a principal, whatever is stored.
	 */
	async provision(principal: Principal): Promise<User> {
		const { kind, id, tenant, roles } = principal;
		const key = `${principalKey(principal)} ${roles.join()}`;
		const user = await this.#records.users.ensure(id);
		// A token never has more rights than its scope allows, so its roles say nothing about its person.
		if (kind !== "user" || this.#provisioned.get(key)) return user;
		const { state } = await this.#ensureTenant(tenant);
		if (state === "active") {
			const word = { role: strongestRole(roles), at: now(), isDated: false };
			await this.#records.members.confirm(tenant, id, word, await this.#records.members.get(tenant, id));
		}
		this.#provisioned.set(key, true);
		return user;
	}

	/**
	 * Ends the memberships by claim in tenants that the provider does not name any more, and returns what is stored then. A
	 * provider that names no tenants ends none.
	 */
	async #afterMoves(
		{ id, tenant }: IdentifiedPerson,
		all: readonly MemberDocument[],
		at: number,
	): Promise<readonly MemberDocument[]> {
		if (tenant === undefined) return all;
		const { members } = this.#records;
		const former = all.filter((one) => one.tenant !== tenant && left(one, at) !== undefined);
		for (const one of former) await members.leave(one.tenant ?? "", id, at);
		return former.length === 0 ? all : members.ofPerson(id);
	}

	/** @throws {ForbiddenError} */
	#standingOf(tenant: string, member: MemberDocument): Standing {
		const { state, epoch = 0 } = member;
		if (state === "left") throw outdated();
		if (state !== "active") throw new ForbiddenError("You are no member of this tenant any more", "NOT_A_MEMBER");
		return { tenant, roles: this.#rolesOf(member), epoch };
	}

	#rolesOf(member: MemberDocument): TenantRole[] {
		const role = strongestRole([member.role ?? ""]) ?? "viewer";
		return rolesFor(this.#choice.mayHave(member) ? role : "developer");
	}

	/** Returns the tenant, which is created as a root when nobody has named it before. */
	async #ensureTenant(id: string): Promise<TenantDocument> {
		const { tenants } = this.#records;
		const isDefault = id === this.#operators;
		const quotas = isDefault ? { max_sessions: 100, max_storage_gb: 500 } : { max_sessions: 5, max_storage_gb: 50 };
		const known = await tenants.get(id);
		if (known) return known;
		const name = isDefault ? "Default" : id;
		const created = await tenants.insert({ id, name, tier: "developer", ...quotas });
		return created ?? (await tenants.get(id)) ?? this.#ensureTenant(id);
	}
}

function outdated(): ForbiddenError {
	return new ForbiddenError("Your provider has named another tenant since this token: log in again", "CLAIMS_OUTDATED");
}
