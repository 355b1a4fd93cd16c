/** Users and memberships as principals see and change them. Every method takes the principal first. */
import type { Principal } from "#shared/base/principal.ts";
import type { ProvisioningResult, TenantRole } from "#shared/contracts/identity/people-fields.ts";
import { ForbiddenError, NotFoundError } from "#shared/base/errors.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import { readPage, type StoredPage, storedPage } from "#shared/store/pages/stored-page.ts";
import type { Records } from "../admissions/admission.ts";
import type { TenantChoice } from "../admissions/tenant-choice.ts";
import type { MemberDocument } from "../record/member-collection.ts";
import { LastAdministrator } from "./last-administrator.ts";
import type { Reach } from "./reach.ts";
import type { RoleNames } from "./role-names.ts";

/** Most members of a tenant that are provisioned again by one request. */
const maxReprovisioned = 1_000;

interface DirectoryDependencies {
	readonly records: Records;
	readonly reach: Reach;
	readonly roleNames: RoleNames;
	readonly choice: TenantChoice;
	/** Whether the configuration decides about everybody's tenant and roles, whatever is stored; default: false. */
	readonly isCopy?: boolean | undefined;
}

/** People whom a principal may not see do not exist for the principal. */
export class MemberDirectory {
	readonly #records: Records;
	readonly #reach: Reach;
	readonly #roleNames: RoleNames;
	readonly #choice: TenantChoice;
	readonly #isCopy: boolean;
	readonly #lastAdministrator: LastAdministrator;

	constructor({ records, reach, roleNames, choice, isCopy = false }: DirectoryDependencies) {
		this.#records = records;
		this.#reach = reach;
		this.#roleNames = roleNames;
		this.#choice = choice;
		this.#isCopy = isCopy;
		this.#lastAdministrator = new LastAdministrator(records.tenants, records.members);
	}

	/** Returns a page of users, newest first: of all, or of the members of the principal's tenant. */
	async users(principal: Principal, page: PageRequest): Promise<StoredPage> {
		const { users, members } = this.#records;
		if (this.#reach.isOperator(principal)) return readPage(await users.page(page).catch(refuseCursor), page.known);
		const found = await members.of(principal.tenant, page).page().catch(refuseCursor);
		const documents = await Promise.all(found.documents.map(({ user = "" }) => users.get(user)));
		return readPage({ ...found, documents: documents.filter((one) => one !== undefined) }, page.known);
	}

	/** Returns a page of the members of a tenant, newest first. @throws {NotFoundError} */
	async members(principal: Principal, tenant: string, query: PageRequest): Promise<StoredPage> {
		await this.#reach.seen(principal, tenant);
		const { page, versions } = this.#records.members.of(tenant, query);
		const shown = async () => {
			const found = await page();
			return { ...found, documents: found.documents.map((one) => this.#shown(one)) };
		};
		return storedPage({ page: shown, versions }, query.limit, query.known).catch(refuseCursor);
	}

	/**
	 * Adds a member, or changes the role of one. From then on this role holds, whatever the identity provider says. A
	 * membership by claim stays one: it ends when the provider names another tenant. Nobody sets a role of their own.
	 * Below the operators, only somebody who is a member within the principal's reach can be added, or was one and is no
	 * member of any tenant now: nobody is drawn out of, or back from, another tenant.
	 * @throws {NotFoundError}; {ForbiddenError} for the principal itself; {ConflictError} when the tenant would have no
	 * administrator any more.
	 */
	async add(principal: Principal, tenant: string, user: string, role: TenantRole): Promise<string> {
		await this.#reach.administered(principal, tenant);
		if (user === principal.id && !this.#isCopy) throw new ForbiddenError("Nobody sets a role of their own", "OWN_ROLE");
		await this.#reached(principal, user, (all) => !all.some(isPresent));
		await this.#keepTenant(principal, user, tenant);
		const grant = () => this.#records.members.grant(tenant, user, role);
		const written = role === "admin" ? await grant() : await this.#lastAdministrator.leave(tenant, user, grant);
		return this.#shown(written).wire;
	}

	/** @throws {NotFoundError}; {ConflictError} for the last administrator. */
	async remove(principal: Principal, tenant: string, user: string): Promise<void> {
		await this.#reach.administered(principal, tenant);
		const remove = () => this.#records.members.remove(tenant, user);
		if (!(await this.#lastAdministrator.leave(tenant, user, remove)))
			throw new NotFoundError(`"${user}" is no member of this tenant`, "MEMBER_NOT_FOUND");
	}

	/** Provisions a user again. Nothing of a user is prepared in advance in this version, so it always succeeds. @throws {NotFoundError} */
	async reprovision(principal: Principal, user: string): Promise<ProvisioningResult> {
		await this.#reached(principal, user, () => false);
		return provisioned(user);
	}

	/** Provisions the newest 1,000 members of a tenant again. @throws {NotFoundError} */
	async reprovisionTenant(principal: Principal, tenant: string): Promise<ProvisioningResult[]> {
		await this.#reach.administered(principal, tenant);
		const { documents } = await this.#records.members.of(tenant, { limit: maxReprovisioned }).page();
		return documents.map(({ user = "" }) => provisioned(user));
	}

	/**
	 * Refuses a user who is no member within the principal's reach. @param formerToo Whether somebody with these memberships
	 * who was one is accepted, too. @throws {NotFoundError}
	 */
	async #reached(
		principal: Principal,
		user: string,
		formerToo: (all: readonly MemberDocument[]) => boolean,
	): Promise<void> {
		const known = await this.#records.users.get(user);
		if (known && this.#reach.isOperator(principal)) return;
		const all = known ? await this.#records.members.ofPerson(user) : [];
		const counted = formerToo(all) ? all : all.filter(isPresent);
		const reached = await Promise.all(counted.map((one) => this.#reaches(principal, one)));
		if (!reached.includes(true)) throw new NotFoundError(`User "${user}" does not exist`, "USER_NOT_FOUND");
	}

	/**
	 * Notes where somebody acts now, before another tenant is added: no administrator changes that. Who acts nowhere acts in
	 * the added one from now on, and so does somebody at home whom an operator adds to another tenant.
	 */
	async #keepTenant(principal: Principal, user: string, added: string): Promise<void> {
		const { users, members } = this.#records;
		const { acts_in: noted } = (await users.get(user)) ?? {};
		const all = await members.ofPerson(user);
		const present = await this.#choice.without(user, all, noted);
		const isMoved = present === undefined || (this.#reach.isOperator(principal) && this.#choice.isAtHome(present, all));
		const kept = isMoved ? added : present;
		if (kept !== noted) await users.keepTenant(user, kept);
	}

	#shown(document: MemberDocument): MemberDocument {
		return { ...document, wire: this.#roleNames.within(document.wire) };
	}

	async #reaches(principal: Principal, { tenant = "" }: MemberDocument): Promise<boolean> {
		const document = await this.#records.tenants.get(tenant);
		return document !== undefined && this.#reach.administers(principal, document);
	}
}

function isPresent({ state }: MemberDocument): boolean {
	return state === "active";
}

function provisioned(user_id: string): ProvisioningResult {
	return { success: true, user_id, home_pvc: null, errors: [] };
}
