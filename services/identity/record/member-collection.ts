/** The stored form of memberships: one document for each person and tenant. A removed one stays, so that no claim renews it. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import type { TenantRole } from "#shared/contracts/identity/people-fields.ts";

/** The text is a {@link Member}. */
export const memberCollection = defineCollection(
	"memberships",
	{
		tenant: "text",
		user: "text",
		/**
		 * `active`; `left`: the provider has named another tenant since, and may name this one again; `removed`: an
		 * administrator has ended it, and only a grant renews it.
		 */
		state: "text",
		/** A {@link TenantRole}. */
		role: "text",
		/**
		 * The maker of the membership. `claim`: the identity provider, or the home, so that it ends with the provider's word;
		 * `granted`: an administrator.
		 */
		source: "text",
		/** The one who decides the role, with the same values. */
		role_by: "text",
		granted_at: "text",
		/** Grows with every end and every renewal, so that tokens of an earlier time never come back. */
		epoch: "integer",
		/** The newest word of the provider about this person here, in milliseconds since 1970; absent: none since `granted_at`. */
		seen_at: "integer",
		rev: "integer",
	},
	{
		by_tenant: { columns: ["tenant", "state", "granted_at"] },
		by_role: { columns: ["tenant", "state", "role", "user"] },
		by_user: { columns: ["user", "granted_at"] },
		by_age: { columns: ["granted_at"] },
	},
	{ audited: ["user_id", "tenant_id", "role"], tenantOf },
);

type MemberColumns = (typeof memberCollection)["columns"];
export type MemberDocument = Document<MemberColumns>;

/** Returns the id of a membership: a JSON list, because ids may have any characters. */
export function membershipId(tenant: string, user: string): string {
	return JSON.stringify([tenant, user]);
}

function tenantOf(id: string): string | undefined {
	const [tenant]: unknown[] = JSON.parse(id);
	return typeof tenant === "string" ? tenant : undefined;
}

/** The roles of a principal with this role: an administrator may do what a developer may. */
export function rolesFor(role: TenantRole): TenantRole[] {
	return role === "admin" ? ["admin", "developer"] : [role];
}

/** Returns the strongest of these roles; undefined when none is known. */
export function strongestRole(roles: readonly string[] = []): TenantRole | undefined {
	return ranked.find((role) => roles.includes(role));
}

/** The time of the provider's newest word about a member, in milliseconds since 1970. */
export function confirmedAt({ seen_at, granted_at = "" }: MemberDocument): number {
	return seen_at ?? (Date.parse(granted_at) || 0);
}

const ranked: readonly TenantRole[] = ["admin", "developer", "viewer"];
