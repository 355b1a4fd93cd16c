/** The owners of credentials: people, and tenants whose people share them. Pure. */
import { createHash } from "node:crypto";
import { personKey, type Principal } from "#shared/base/principal.ts";

/** The owner of credentials. People of the same id in two tenants are two people. */
export interface CredentialOwner {
	readonly type: "user" | "tenant";
	readonly tenant: string;
	/** The id of the person; that of the tenant itself otherwise. */
	readonly id: string;
}

export function personOf({ tenant, id }: Pick<Principal, "tenant" | "id">): CredentialOwner {
	return { type: "user", tenant, id };
}

export function tenantOf(tenant: string): CredentialOwner {
	return { type: "tenant", tenant, id: tenant };
}

/** Returns a key for maps, which no other owner has. */
export function ownerKey({ type, tenant, id }: CredentialOwner): string {
	return `${type} ${personKey(tenant, id)}`;
}

/** The tenant of an installation without tenants of its own. */
const defaultTenant = "default";
const plain = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * Returns the owner as the name of a folder, which no other owner has: the id itself, for people of other tenants than
 * `default` as `<tenant>.<id>`, and a hash where one of them has other characters than a name may have (OpenID subjects
 * may have a `/`).
 */
export function ownerFolder({ type, tenant, id }: CredentialOwner): string {
	const isPlain = plain.test(id) && plain.test(tenant);
	if (isPlain) return type === "tenant" || tenant === defaultTenant ? id : `${tenant}.${id}`;
	const named = JSON.stringify([tenant, id]);
	// No plain id has a tilde.
	return `~${createHash("sha256").update(named).digest("hex")}`;
}
