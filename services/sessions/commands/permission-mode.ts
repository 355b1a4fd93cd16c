/** Chooses who answers the coding agent's permission requests: the choice of the first level that has one. Pure. */
import { type PermissionMode, permissionModes } from "#shared/contracts/sessions/session-resource.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { LabelledValue } from "./launch-levels/launch-level.ts";

const defaultMode: PermissionMode = "auto";

/** Returns the mode. @throws {UnprocessableError} when a blueprint's `workload_config` names an unknown mode. */
export function permissionMode(wanted: LabelledValue<unknown> | undefined): PermissionMode {
	if (wanted === undefined) return defaultMode;
	const mode = permissionModes.find((known) => known === wanted.value);
	if (mode) return mode;
	throw new UnprocessableError(
		`${wanted.label} has a permission_mode that does not exist; allowed: ${permissionModes.join(", ")}`,
		"PERMISSION_MODE",
	);
}
