/** The verified caller on whose behalf a request runs. */

/** The kind of a caller; `anonymous` exists only for actions that are open to everybody. */
export type PrincipalKind = "anonymous" | "user" | "pat" | "pod" | "system";

/** A verified caller. Handlers get it as an argument and never read it from parameters. */
export interface Principal {
	readonly kind: PrincipalKind;
	/** User: subject of the token. Pod: id of its session. System: name of the job. */
	readonly id: string;
	readonly tenant: string;
	readonly roles: readonly string[];
	/** The launch that a pod belongs to; absent for all other kinds. */
	readonly generation?: number;
	/**
	 * The epoch of the membership of somebody who has logged in at a provider; absent for all others, whom the configuration
	 * names.
	 */
	readonly epoch?: number;
}

/** The person to whom something belongs. */
export type Owner = Pick<Principal, "tenant" | "id">;

export const anonymous: Principal = { kind: "anonymous", id: "", tenant: "", roles: [] };

/** Returns the principal of a job of the platform. Only services call this, never with data of a request. */
export function systemPrincipal(job: string): Principal {
	return { kind: "system", id: job, tenant: "", roles: [] };
}

/** Returns a key that distinguishes principals in memory, whatever characters their names have. The key is never stored. */
export function principalKey({ kind, tenant, id }: Principal): string {
	return `${kind} ${personKey(tenant, id)}`;
}

/** Returns a key that distinguishes persons in memory, whatever kind of principal they use. */
export function personKey(tenant: string, id: string): string {
	return `${tenant.length} ${tenant} ${id}`;
}

export function isAdmin(principal: Principal): boolean {
	return principal.roles.includes("admin");
}

/** Whether the caller is a person, or a program with a token of a person. */
export function isPerson({ kind }: Principal): boolean {
	return kind === "user" || kind === "pat";
}
