/** Refuses settings of a request that would bound a session elsewhere, and that a request cannot have. */
import { UnprocessableError } from "#shared/base/errors.ts";
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";

/** @throws {UnprocessableError} for settings such as the way out, which would be wider than its sender believes if they were ignored. */
export function refuseMisplaced({ workload_config: settings }: Pick<SessionCreate, "workload_config">): void {
	const [name] = Object.keys(settings ?? {});
	if (name === undefined) return;
	throw new UnprocessableError(
		`The request of a session cannot have "workload_config" (${name.slice(0, 40)}): put it into a profile (POST /profiles), a preset or a template, and name that with profile_name, preset_id or template_name`,
		"MISPLACED_MEMBER",
	);
}
