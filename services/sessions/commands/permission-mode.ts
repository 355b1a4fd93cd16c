/**
 * Chooses who answers the coding agent's permission requests: the request's choice has precedence over the template's.
 * Pure.
 */
import { type PermissionMode, permissionModes, type SessionCreate } from "#shared/contracts/session-resource.ts";
import type { Template } from "#shared/contracts/templates.ts";
import { UnprocessableError } from "#shared/errors.ts";

const defaultMode: PermissionMode = "auto";

/** Returns the mode. @throws {UnprocessableError} when the template's `workload_config` names an unknown mode. */
export function permissionMode(
	{ permission_mode }: Pick<SessionCreate, "permission_mode">,
	template: Pick<Template, "name" | "workload_config"> | undefined,
): PermissionMode {
	const wanted = permission_mode ?? template?.workload_config["permission_mode"] ?? defaultMode;
	const mode = permissionModes.find((known) => known === wanted);
	if (mode) return mode;
	throw new UnprocessableError(
		`Template "${template?.name}" has a permission_mode that does not exist; allowed: ${permissionModes.join(", ")}`,
		"PERMISSION_MODE",
	);
}
