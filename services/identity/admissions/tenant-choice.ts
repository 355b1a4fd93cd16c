/**
 * Chooses the tenant in which a person acts. Nobody is drawn into another tenant, or falls into one: a grant adds a tenant
 * that a request may name, and changes nothing for requests that name none.
 */
import type { IdentifiedPerson } from "#shared/contracts/identity/admissions.ts";
import { ForbiddenError } from "#shared/errors.ts";
import { type MemberDocument, strongestRole } from "../record/member-collection.ts";
import type { TenantRecords } from "../record/tenant-records.ts";

/** The rules of the configuration about tenants. */
export interface TenantRules {
	/** The tenant of the operators. */
	readonly operators: string;
	/** Whether the claim of a provider may name the tenant of the operators. */
	readonly namesOperators: boolean;
	/** The tenant of people whom neither their provider nor an administrator has given one; absent: they are refused. */
	readonly home?: string | undefined;
}

/** The choice of one process. */
export class TenantChoice {
	readonly #tenants: TenantRecords;
	readonly #rules: TenantRules;

	constructor(tenants: TenantRecords, rules: TenantRules) {
		this.#tenants = tenants;
		this.#rules = rules;
	}

	/**
	 * Returns the tenant that the request names, or else the person's first one.
	 * @param all The memberships of the person, also those that have ended. @throws {ForbiddenError}
	 */
	async of(person: IdentifiedPerson, all: readonly MemberDocument[], wanted: string | undefined): Promise<string> {
		const options = await this.#options(person, all);
		const chosen = wanted === undefined ? options[0] : options.find((one) => one === wanted);
		if (chosen !== undefined) return chosen;
		if (wanted !== undefined)
			throw new ForbiddenError(`You are no member of the tenant "${wanted}" that the request names`, "NOT_A_MEMBER");
		throw withoutTenant(person, all);
	}

	/**
	 * Returns the tenants in which the person may act: the provider's word first, then grants from the oldest, and the home
	 * of those who have nothing else and were removed from nowhere.
	 */
	async #options(person: IdentifiedPerson, all: readonly MemberDocument[]): Promise<readonly string[]> {
		const { home } = this.#rules;
		const granted = await this.#granted(all);
		const isRemoved = all.some(({ state }) => state === "removed");
		const mayGoHome = person.tenant === undefined && home !== undefined && !isRemoved;
		return [...this.#said(person, all), ...granted, ...(mayGoHome ? [home] : [])];
	}

	/** The tenant of the provider's word. Where it names no tenants at all, its administrators are the operators. */
	#said({ tenant, roles }: IdentifiedPerson, all: readonly MemberDocument[]): readonly string[] {
		const { operators, namesOperators } = this.#rules;
		const here = all.find((one) => one.tenant === operators);
		if (tenant === operators && !namesOperators && !isGranted(here))
			throw new ForbiddenError(
				`Your identity provider names the tenant "${operators}" of the operators, which it may not do here (tenants.default_by_claim)`,
				"OPERATORS_TENANT",
			);
		if (typeof tenant === "string") return [tenant];
		const isOperator = tenant === undefined && strongestRole(roles) === "admin" && here?.state !== "removed";
		return isOperator ? [operators] : [];
	}

	/**
	 * Returns the tenants of grants in their order, without deleted ones: nobody can remove anybody from those. When all
	 * were deleted, it returns one, so that the person is told.
	 */
	async #granted(all: readonly MemberDocument[]): Promise<readonly string[]> {
		const byAge = all.filter(isGranted).toSorted((a, b) => (a.granted_at ?? "").localeCompare(b.granted_at ?? ""));
		const ids = byAge.map(({ tenant = "" }) => tenant);
		if (ids.length < 2) return ids;
		const states = await Promise.all(ids.map(async (id) => (await this.#tenants.get(id))?.state));
		const inUse = ids.filter((_id, i) => states[i] === "active");
		return inUse.length > 0 ? inUse : ids.slice(0, 1);
	}
}

/** Whether an administrator has made somebody a member, who still is one. */
function isGranted(member: MemberDocument | undefined): boolean {
	return member?.state === "active" && member.source === "granted";
}

function withoutTenant({ tenant, id }: IdentifiedPerson, all: readonly MemberDocument[]): ForbiddenError {
	const cure = `ask an administrator to add you (user id "${id}")`;
	if (all.some(({ state }) => state === "removed"))
		return new ForbiddenError(
			`You were removed from your tenant, and are a member of no other: ${cure}`,
			"NOT_A_MEMBER",
		);
	const said =
		tenant === null ? "Your token names no tenant, and you are a member of none" : "You are a member of no tenant";
	return new ForbiddenError(`${said}: ${cure}`, "NO_TENANT");
}
