/** Groups clients that may see the same events, so that frames are made once per group. */
import type { Principal } from "#shared/base/principal.ts";
import { mayUseSession, seesWholeTenant } from "#shared/contracts/access/access-table.ts";

/** The audience of an event; without an owner it is everybody of the tenant. */
export interface Addressed {
	readonly tenant: string;
	readonly owner?: string | undefined;
}

export class Audience {
	/** A principal of the group; all of them see the same. */
	readonly principal: Principal;

	constructor(principal: Principal) {
		this.principal = principal;
	}

	/**
	 * Whether the group may see an event: one with an owner is for those who may see that owner's sessions; one without
	 * is for the whole tenant.
	 */
	sees({ tenant, owner }: Addressed): boolean {
		if (owner === undefined) return tenant === this.principal.tenant;
		return mayUseSession(this.principal, "see", { tenant, owner });
	}
}

/** Returns a key that is equal for principals who see the same events. */
export function audienceKey(principal: Principal): string {
	return JSON.stringify(seesWholeTenant(principal) ? [principal.tenant] : [principal.tenant, principal.id]);
}
