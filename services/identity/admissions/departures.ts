/** Says who has departed from a tenant: their sessions end (docs/decisions/0125-sessions-end-with-the-membership.md). */
import type { MemberRecords } from "../record/member-records.ts";
import type { TenantRecords } from "../record/tenant-records.ts";

interface Membership {
	readonly tenant: string;
	readonly user_id: string;
}

interface DeparturesDependencies {
	readonly members: Pick<MemberRecords, "get">;
	readonly tenants: Pick<TenantRecords, "get">;
	/** Whether the configuration names all people, so that stored memberships decide nothing. */
	readonly areConfigured: boolean;
}

/** The ends of memberships. */
export class Departures {
	readonly #dependencies: DeparturesDependencies;

	constructor(dependencies: DeparturesDependencies) {
		this.#dependencies = dependencies;
	}

	/** Returns those who have departed. Somebody who was never a member has not. */
	async among(people: readonly Membership[]): Promise<Membership[]> {
		if (this.#dependencies.areConfigured) return [];
		const deleted = await this.#deletedTenants(new Set(people.map(({ tenant }) => tenant)));
		const departed = await Promise.all(people.map(async (one) => deleted.has(one.tenant) || this.#hasEnded(one)));
		return people.filter((_one, index) => departed[index]);
	}

	async #hasEnded({ tenant, user_id }: Membership): Promise<boolean> {
		const member = await this.#dependencies.members.get(tenant, user_id);
		return member !== undefined && member.state !== "active";
	}

	async #deletedTenants(tenants: ReadonlySet<string>): Promise<ReadonlySet<string>> {
		const found = await Promise.all([...tenants].map((id) => this.#dependencies.tenants.get(id)));
		return new Set(found.flatMap((one) => (one?.state === "deleted" ? [one.id] : [])));
	}
}
