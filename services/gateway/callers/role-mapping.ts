/** Finds the platform's roles in the words of an identity provider. Pure. */
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { tenantRoles } from "#shared/contracts/identity/people-fields.ts";
import { ForbiddenError } from "#shared/base/errors.ts";

const name = { type: "string", min: 1, max: 255 } as const;

/** The arguments about roles that identity adapters have in common. */
export const roleOptions = schema({
	/** The provider's names of roles, each with ours. Absent: the provider uses our names. */
	role_mapping: { type: "record", key: name, value: { type: "enum", values: tenantRoles }, optional: true },
	/** The role of a person for whom the provider names none of ours; `none` refuses such people. */
	default_role: { type: "enum", values: [...tenantRoles, "none"], default: "developer" },
});
type RoleOptions = Output<typeof roleOptions>;

/**
 * Returns the roles of a person about whom the provider says nothing; without any, the platform makes them a developer.
 * @throws {ForbiddenError} when people without a role are refused.
 */
export function rolesOfSilence(options: RoleOptions): { readonly roles?: string[] } {
	return options.default_role === "developer" ? {} : { roles: mappedRoles([], options) };
}

/**
 * Returns our roles among those that the provider names.
 * @throws {ForbiddenError} when there is none and people without a role are refused.
 */
export function mappedRoles(given: readonly string[], { role_mapping: mapping, default_role }: RoleOptions): string[] {
	const known = given.flatMap((one) => {
		if (mapping) return Object.hasOwn(mapping, one) ? [mapping[one] ?? ""] : [];
		return tenantRoles.some((role) => role === one) ? [one] : [];
	});
	if (known.length > 0) return [...new Set(known)];
	if (default_role !== "none") return [default_role];
	throw new ForbiddenError("Your identity provider gives you no role here", "NO_ROLE");
}
