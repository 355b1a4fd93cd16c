/** The names of roles on the wire: ours, or with a prefix, which clients of the original compare with. Pure. */
import { type TenantRole, tenantRoles } from "#shared/contracts/identity/people-fields.ts";
import type { Member } from "#shared/contracts/identity/tenants.ts";

/** The names that clients see. */
export class RoleNames {
	readonly #prefix: string;

	/** @param prefix Precedes each name in answers, e.g. `volundr:`; usually empty. */
	constructor(prefix: string) {
		this.#prefix = prefix;
	}

	shown(roles: readonly string[]): string[] {
		return roles.map((role) => `${this.#prefix}${role}`);
	}

	/** Returns the JSON text of a membership with the name that clients see. */
	within(wire: string): string {
		if (this.#prefix === "") return wire;
		const stored: Member = JSON.parse(wire);
		return JSON.stringify({ ...stored, role: `${this.#prefix}${stored.role}` });
	}
}

/** Returns the role that a request names, with or without a prefix. */
export function givenRole(name: string): TenantRole {
	return tenantRoles.find((role) => name.endsWith(role)) ?? "viewer";
}
