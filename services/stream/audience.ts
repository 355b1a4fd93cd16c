/** Clients who may see the same: what is made for one of them is made for all. */
import { isAdmin, type Principal } from "#shared/bus/principal.ts";

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

	/** As `GET /sessions` would have it: one's own and what is nobody's, an administrator all, within the tenant. */
	sees({ tenant, owner }: Addressed): boolean {
		if (tenant !== this.principal.tenant) return false;
		return owner === undefined || owner === this.principal.id || isAdmin(this.principal);
	}
}

/** Equal for principals who see the same. */
export function audienceKey(principal: Principal): string {
	return JSON.stringify(isAdmin(principal) ? [principal.tenant] : [principal.tenant, principal.id]);
}
