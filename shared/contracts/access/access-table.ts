/**
 * One table says who may do what with an object: a session, or anything else that belongs to a person or a tenant. Pure.
 * Whether a principal may use an action at all is decided before, by its kind and its role (admission.ts).
 * @example
 * ```ts
 * if (!isAllowed(principal, "see", "prompt", { tenant, owner })) throw new NotFoundError(`Prompt "${id}" does not exist`);
 * ```
 */
import { isAdmin, isPerson, type Principal } from "#shared/base/principal.ts";
import type { Session } from "../sessions/session-resource.ts";

/**
 * The relation of a principal to an object. `administrator` and `colleague`: one of the object's tenant who does not own
 * it. `stranger`: everybody else, including administrators of other tenants. An object without an owner is owned by the
 * administrators of its tenant. `operator`: one who runs the installation, which administrators of a tenant do not.
 */
export type Relation = "platform" | "own-pod" | "owner" | "administrator" | "colleague" | "stranger" | "operator";

type Row = Readonly<Partial<Record<Relation, readonly string[]>>>;

/** The tenant uses it; its owner and the administrators change it. */
const shared = { owner: ["see", "change"], administrator: ["see", "change"], colleague: ["see"] } as const;
/** The tenant uses its owner's words; the administrators remove them and do not change them. */
const quoted = { owner: ["see", "change", "delete"], administrator: ["see", "delete"], colleague: ["see"] } as const;
/** Its owner uses it; the administrators look after it. */
const managed = { owner: ["see", "change"], administrator: ["see", "change"] } as const;
/** It speaks for its owner or holds secrets of the owner, so nobody else learns of it. */
const personal = { owner: ["see", "change"] } as const;

/**
 * The rights by the kind of object and the relation to it; what is not listed is refused. Of a session, `see-deleted`
 * is to read it while it waits for its removal, `manage` to end it or to change what has no effect on its work,
 * `command-agent` to speak to the coding agent and to decide which code runs and what is done with the owner's rights, so
 * that an administrator may not, `report` to write what the session tells of its work, which is sent elsewhere with the owner's
 * rights, and `report-usage` to write into its books.
 */
const table = {
	session: {
		platform: ["see", "see-deleted"],
		"own-pod": ["see", "report", "report-usage"],
		owner: ["see", "manage", "command-agent", "report", "report-usage"],
		administrator: ["see", "manage"],
	},
	workspace: managed,
	"merge-evaluation": managed,
	prompt: quoted,
	mapping: shared,
	preset: personal,
	profile: personal,
	credential: personal,
	connection: personal,
	token: personal,
	user: managed,
	tenant: shared,
	"tenant-credential": shared,
	/** The configuration of the operators: values that may be secrets, and the folders of the host. */
	installation: { operator: ["see-secrets", "see-folders", "use-folders"] },
} as const satisfies Readonly<Record<string, Row>>;

export type ObjectKind = keyof typeof table;

type RowOf<K extends ObjectKind> = (typeof table)[K];

export type ActionOn<K extends ObjectKind> = RowOf<K>[keyof RowOf<K>] extends readonly (infer A)[] ? A : never;

export type SessionAction = ActionOn<"session">;

export interface Ownership {
	/** The id of the session; it may be absent when no pod can be the caller. */
	readonly session?: string | undefined;
	readonly tenant?: string | null | undefined;
	/** The id of a person of the tenant; null: the object has no owner. */
	readonly owner?: string | null | undefined;
	/** The tenant whose administrators are the operators (`tenants.default`); for the installation only. */
	readonly operators?: string;
}

export function ownershipOf({ id, tenant_id, owner_id }: Pick<Session, "id" | "tenant_id" | "owner_id">): Ownership {
	return { session: id, tenant: tenant_id, owner: owner_id };
}

/** Whether a principal may do this with an object of this kind. */
export function isAllowed<K extends ObjectKind>(
	principal: Principal,
	action: ActionOn<K>,
	kind: K,
	ownership: Ownership,
): boolean {
	const row: Row = table[kind];
	const rights: readonly unknown[] = row[relationTo(principal, ownership)] ?? [];
	return rights.includes(action);
}

/** Whether a principal may do this with a session, or with what belongs to it: chronicles, events, usage. */
export function mayUseSession(principal: Principal, action: SessionAction, ownership: Ownership): boolean {
	return isAllowed(principal, action, "session", ownership);
}

export function relationTo(principal: Principal, ownership: Ownership): Relation {
	const { session, operators } = ownership;
	if (operators !== undefined) return isOperator(principal, operators) ? "operator" : "stranger";
	if (principal.kind === "system") return "platform";
	if (principal.kind === "pod") return principal.id === session ? "own-pod" : "stranger";
	return relationOfPerson(principal, ownership);
}

function relationOfPerson(principal: Principal, { tenant, owner }: Ownership): Relation {
	if (principal.kind === "anonymous" || principal.tenant !== tenant) return "stranger";
	if (principal.id === owner || (owner === null && isAdmin(principal))) return "owner";
	return isAdmin(principal) ? "administrator" : "colleague";
}

/** Whether lists and sums cover the objects of the whole tenant; otherwise they cover the principal's own ones. */
export function seesWholeTenant(principal: Principal): boolean {
	return administersTenant(principal);
}

/** Whether the principal administers its own tenant, with which nothing is said about any other one. */
export function administersTenant(principal: Principal): boolean {
	return isAdmin(principal);
}

/** Whether the principal runs the installation. @param operators The tenant of the operators (`tenants.default`). */
export function isOperator(principal: Principal, operators: string): boolean {
	return isPerson(principal) && isAdmin(principal) && principal.tenant === operators;
}
