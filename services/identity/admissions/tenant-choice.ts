/**
 * Chooses the tenant in which a person acts. Nobody is drawn into another tenant, or falls into one: a grant adds a tenant
 * that a request may name, and changes nothing for requests that name none, unless an operator moves somebody out of the
 * home.
 */
import type { IdentifiedPerson } from "#shared/contracts/identity/admissions.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import { type MemberDocument, strongestRole } from "../record/member-collection.ts";
import type { TenantRecords } from "../record/tenant-records.ts";

interface TenantRules {
	/** The tenant of the operators. */
	readonly operators: string;
	/** Whether the word of a provider may make operators. */
	readonly namesOperators: boolean;
	/** The tenant of people whom neither their provider nor an administrator has given one; absent: they are refused. */
	readonly home?: string | undefined;
}

interface TenantWish {
	/** The tenant that the request names. */
	readonly wanted?: string | undefined;
	/** The tenant that was noted for requests of the person that name none. */
	readonly actsIn: string | undefined;
}

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
	async of(person: IdentifiedPerson, all: readonly MemberDocument[], { wanted, actsIn }: TenantWish): Promise<string> {
		const options = [...this.#said(person, all), ...(await this.#given(person, all, actsIn))];
		const chosen = wanted === undefined ? options[0] : options.find((one) => one === wanted);
		if (chosen !== undefined) {
			this.#refuseOperatorByWord(person, all, chosen);
			return chosen;
		}
		if (wanted !== undefined)
			throw new ForbiddenError(`You are no member of the tenant "${wanted}" that the request names`, "NOT_A_MEMBER");
		throw this.#withoutTenant(person, all);
	}

	/** Returns where a person acts whose requests name no tenant, and about whose tenant no provider says anything. */
	async without(id: string, all: readonly MemberDocument[], actsIn: string | undefined): Promise<string | undefined> {
		return (await this.#given({ id }, all, actsIn))[0];
	}

	/** Whether this is the home, and the person is there without a grant. */
	isAtHome(tenant: string | undefined, all: readonly MemberDocument[]): boolean {
		return (
			tenant !== undefined && tenant === this.#rules.home && !all.some((one) => one.tenant === tenant && isGranted(one))
		);
	}

	/** Whether a member may have its stored role: a provider alone makes operators only if the configuration says so. */
	mayHave(member: MemberDocument): boolean {
		const { operators, namesOperators } = this.#rules;
		return namesOperators || member.tenant !== operators || member.role !== "admin" || member.role_by === "granted";
	}

	/**
	 * The tenants that no provider has named: that which was noted for requests without a choice, then grants from the
	 * oldest, and the home.
	 */
	async #given(
		person: IdentifiedPerson,
		all: readonly MemberDocument[],
		actsIn: string | undefined,
	): Promise<readonly string[]> {
		const { home } = this.#rules;
		const isHome = home !== undefined && this.#mayGoHome(person, all, actsIn);
		const found = [...(await this.#granted(all)), ...(isHome ? [home] : [])];
		return actsIn !== undefined && found.includes(actsIn) ? [actsIn, ...found] : found;
	}

	/** The home is for people who were removed from nowhere. Who acts there stays there after a removal elsewhere. */
	#mayGoHome({ tenant }: IdentifiedPerson, all: readonly MemberDocument[], actsIn: string | undefined): boolean {
		if (tenant !== undefined) return false;
		const { home } = this.#rules;
		const isThere = actsIn === home && all.some((one) => one.tenant === home && one.state === "active");
		return isThere || !all.some(({ state }) => state === "removed");
	}

	/** The tenant of the provider's word. Where it names no tenants at all, its administrators may be the operators. */
	#said({ tenant, roles }: IdentifiedPerson, all: readonly MemberDocument[]): readonly string[] {
		const { operators, namesOperators } = this.#rules;
		const here = all.find((one) => one.tenant === operators);
		if (tenant === operators && !namesOperators && !isGranted(here))
			throw operatorsTenant(`names the tenant "${operators}" of the operators`);
		if (typeof tenant === "string") return [tenant];
		const isAdmin = tenant === undefined && strongestRole(roles) === "admin";
		return isAdmin && namesOperators && here?.state !== "removed" ? [operators] : [];
	}

	/** Refuses somebody who would be an operator by the word of the provider, e.g. in the home. @throws {ForbiddenError} */
	#refuseOperatorByWord({ roles }: IdentifiedPerson, all: readonly MemberDocument[], chosen: string): void {
		const { operators, namesOperators } = this.#rules;
		if (chosen !== operators || namesOperators || strongestRole(roles) !== "admin") return;
		const here = all.find((one) => one.tenant === operators);
		const isDecided = here?.state === "active" && here.role_by === "granted";
		if (!isDecided) throw operatorsTenant(`makes you an administrator of the tenant "${operators}" of the operators`);
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

	#withoutTenant({ tenant, id, roles }: IdentifiedPerson, all: readonly MemberDocument[]): ForbiddenError {
		const cure = `ask an administrator to add you (user id "${id}")`;
		if (all.some(({ state }) => state === "removed"))
			return new ForbiddenError(
				`You were removed from your tenant, and are a member of no other: ${cure}`,
				"NOT_A_MEMBER",
			);
		if (tenant === undefined && strongestRole(roles) === "admin")
			return operatorsTenant(
				`makes you an administrator without a tenant, which would be an operator (user id "${id}")`,
			);
		const said =
			tenant === null ? "Your token names no tenant, and you are a member of none" : "You are a member of no tenant";
		return new ForbiddenError(`${said}: ${cure}`, "NO_TENANT");
	}
}

/** Whether an administrator has made somebody a member, who still is one. */
function isGranted(member: MemberDocument | undefined): boolean {
	return member?.state === "active" && member.source === "granted";
}

function operatorsTenant(what: string): ForbiddenError {
	return new ForbiddenError(
		`Your identity provider ${what}, which it may not do here (tenants.default_by_claim)`,
		"OPERATORS_TENANT",
	);
}
