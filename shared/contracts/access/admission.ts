/**
 * Decides who may use an action at all, by the kind and the role of the caller. Which objects the action shows or changes
 * is decided afterwards, by the table of access (access-table.ts). Pure.
 */
import { type Access, type AnyAction, routesOf } from "../contract.ts";
import { anonymous, isPerson, type Principal, type PrincipalKind } from "#shared/base/principal.ts";
import { type TenantRole, tenantRoles } from "../identity/people-fields.ts";
import type { TokenScope } from "../pat/tokens.ts";
import { ForbiddenError, UnauthorizedError } from "#shared/base/errors.ts";

export type Right = "read" | "write" | "administer";

const kindsByAccess: Readonly<Record<Access, readonly PrincipalKind[]>> = {
	public: ["anonymous", "user", "pat", "pod", "system"],
	user: ["user", "pat"],
	login: ["user"],
	admin: ["user", "pat"],
	session: ["user", "pat", "pod"],
	pod: ["pod"],
	system: ["system"],
};

const rightsByRole: Readonly<Record<TenantRole, readonly Right[]>> = {
	admin: ["read", "write", "administer"],
	developer: ["read", "write"],
	viewer: ["read"],
};

const refusals: Readonly<Record<Right, string>> = {
	read: "This caller may not read",
	write: "A viewer, and a token of the scope `read`, may only read",
	administer: "Administrator role required",
};

/** Returns the strongest role; a person without any is a developer. */
export function roleOf({ roles: given }: Pick<Principal, "roles">): TenantRole {
	return tenantRoles.find((role) => given.includes(role)) ?? "developer";
}

/**
 * Returns the roles of a token: those of its person, as far as its scope reaches. A token of another scope than `admin`
 * is no administrator's anywhere; one that may not write is a viewer's.
 */
export function rolesWithin(given: readonly string[], scope: TokenScope): readonly string[] {
	if (scope === "admin") return given;
	return scope === "write" ? given.filter((role) => role !== "admin") : ["viewer"];
}

/** Returns the right that an action needs of a person. */
export function rightFor(action: Pick<AnyAction, "access" | "effect" | "rest">): Right {
	if (action.access === "admin") return "administer";
	if (action.effect) return action.effect;
	const routes = routesOf(action);
	return routes.length > 0 && routes.every((route) => route.startsWith("GET ")) ? "read" : "write";
}

/**
 * Returns the principal when it may use the action; for a public action without a principal, the anonymous one.
 * @throws {UnauthorizedError | ForbiddenError}
 */
export function admit(
	principal: Principal | undefined,
	action: Pick<AnyAction, "access" | "effect" | "rest">,
): Principal {
	const { access = "user" } = action;
	if (access === "public") return principal ?? anonymous;
	if (!principal) throw new UnauthorizedError();
	if (!kindsByAccess[access].includes(principal.kind))
		throw new ForbiddenError("This credential is not meant for this action");
	const right = rightFor(action);
	if (isPerson(principal) && !rightsByRole[roleOf(principal)].includes(right))
		throw new ForbiddenError(refusals[right]);
	return principal;
}
