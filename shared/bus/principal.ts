/** On whose behalf a request runs. */

/** `anonymous` exists only for actions open to everybody. */
export type PrincipalKind = "anonymous" | "user" | "pat" | "pod" | "system";

export interface Principal {
	readonly kind: PrincipalKind;
	/** User: subject of the token. Pod: id of its session. System: name of the job. */
	readonly id: string;
	readonly tenant: string;
	readonly roles: readonly string[];
	/** Launch of the session a pod belongs to; absent for all other kinds. */
	readonly generation?: number;
}

export const anonymous: Principal = { kind: "anonymous", id: "", tenant: "", roles: [] };

/** A job of the platform itself; made inside a service only, never from a request. */
export function systemPrincipal(job: string): Principal {
	return { kind: "system", id: job, tenant: "", roles: [] };
}

/** Tells principals apart in memory, whatever characters their names have; nothing that is kept is named so. */
export function principalKey({ kind, tenant, id }: Principal): string {
	return `${kind} ${personKey(tenant, id)}`;
}

/** The same for a person, by whatever kind of principal they come. */
export function personKey(tenant: string, id: string): string {
	return `${tenant.length} ${tenant} ${id}`;
}

export function isAdmin(principal: Principal): boolean {
	return principal.roles.includes("admin");
}
