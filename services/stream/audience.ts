/** Clients who may see the same: what is made for one of them is made for all. */
import type { Principal } from "#shared/bus/principal.ts";
import { mayUseSession, seesWholeTenant } from "#shared/session-access.ts";

/** Whom an event is for; without an owner everybody of the tenant. */
export interface Addressed {
	readonly tenant: string;
	readonly owner?: string | undefined;
}

export class Audience {
	/** One of those who share this view. */
	readonly principal: Principal;

	constructor(principal: Principal) {
		this.principal = principal;
	}

	/** An event of a session is for those who may see the session; an event without an owner is for the whole tenant. */
	sees({ tenant, owner }: Addressed): boolean {
		if (owner === undefined) return tenant === this.principal.tenant;
		return mayUseSession(this.principal, "see", { tenant, owner });
	}
}

/** Equal for principals who see the same. */
export function audienceKey(principal: Principal): string {
	return JSON.stringify(seesWholeTenant(principal) ? [principal.tenant] : [principal.tenant, principal.id]);
}
