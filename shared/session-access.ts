/**
 * One table says who may do what with a session and with what belongs to it: chronicles, events, usage. Pure.
 * @example
 * ```ts
 * if (!mayUseSession(principal, "see", ownership)) throw new NotFoundError(`Session "${id}" does not exist`);
 * ```
 */
import { isAdmin, type Principal } from "./bus/principal.ts";
import type { Session } from "./contracts/session-resource.ts";

/**
 * The relation of a principal to a session. `administrator`: one of the session's tenant who is not its owner.
 * `stranger`: everybody else, including administrators of other tenants. A session without an owner is owned by the
 * administrators of its tenant.
 */
export type SessionRelation = "platform" | "own-pod" | "owner" | "administrator" | "stranger";

/**
 * The actions. `see-deleted`: read a deleted object that waits for its removal. `command-agent`: speak to the coding
 * agent, which acts with the owner's rights, so an administrator may not. `report-usage`: write into the session's
 * books.
 */
export type SessionAction = "see" | "see-deleted" | "command-agent" | "report-usage";

const allowed: Readonly<Record<SessionRelation, readonly SessionAction[]>> = {
	platform: ["see", "see-deleted"],
	"own-pod": ["see", "report-usage"],
	owner: ["see", "command-agent", "report-usage"],
	administrator: ["see"],
	stranger: [],
};

/** The session, tenant and person that something belongs to. */
export interface SessionOwnership {
	/** The id of the session; it may be absent when no pod can be the caller. */
	readonly session?: string | undefined;
	readonly tenant?: string | null | undefined;
	/** The id of a person of the tenant; null: the object has no owner. */
	readonly owner?: string | null | undefined;
}

export function ownershipOf({
	id,
	tenant_id,
	owner_id,
}: Pick<Session, "id" | "tenant_id" | "owner_id">): SessionOwnership {
	return { session: id, tenant: tenant_id, owner: owner_id };
}

/** Whether a principal may do this with a session. */
export function mayUseSession(principal: Principal, action: SessionAction, ownership: SessionOwnership): boolean {
	return allowed[sessionRelation(principal, ownership)].includes(action);
}

/** The relation of a principal to a session. */
export function sessionRelation(principal: Principal, { session, tenant, owner }: SessionOwnership): SessionRelation {
	if (principal.kind === "system") return "platform";
	if (principal.kind === "pod") return principal.id === session ? "own-pod" : "stranger";
	if (principal.kind === "anonymous" || principal.tenant !== tenant) return "stranger";
	if (principal.id === owner || (owner === null && isAdmin(principal))) return "owner";
	return isAdmin(principal) ? "administrator" : "stranger";
}

/** Whether lists and sums cover the sessions of the whole tenant; otherwise they cover the principal's own ones. */
export function seesWholeTenant(principal: Principal): boolean {
	return isAdmin(principal);
}
