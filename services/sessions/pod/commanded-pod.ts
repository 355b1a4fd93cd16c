/** Decides who may speak to the coding agent of a session, and finds the pod that it runs in. */
import type { Principal } from "#shared/base/principal.ts";
import { ConflictError, ForbiddenError } from "#shared/base/errors.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import { mayUseSession, ownershipOf } from "#shared/contracts/access/access-table.ts";
import type { SessionRecord } from "../record/session-change.ts";
import { type PodAddress, podAddress } from "./pod-address.ts";

/** Refuses principals who may not command the agent, which acts with the owner's rights. @throws {ForbiddenError} */
export function refuseOthers(principal: Principal, { session }: SessionRecord): void {
	if (!mayUseSession(principal, "command-agent", ownershipOf(session)))
		throw new ForbiddenError("Only the owner of a session may speak to its agent");
}

/** Refuses a session that does not run. @throws {ConflictError} */
export function refuseUnlessRunning({ session }: SessionRecord): void {
	const { status } = session;
	if (status === "running") return;
	const sentence = `The session is ${status}, not running${remedyOf(session)}`;
	throw new ConflictError(sentence, "SESSION_NOT_RUNNING");
}

/** Returns why the session does not run, when it failed, and what brings it to run, as the end of a sentence. */
function remedyOf({ id, status, error }: SessionRecord["session"]): string {
	const start = `start it with POST /sessions/${id}/start`;
	const remedies: Partial<Record<typeof status, string>> = {
		failed: `${error === null ? "" : `: ${error}`}; ${start}`,
		archived: `; restore it with POST /sessions/${id}/restore, then ${start}`,
		starting: "; wait until it is",
		provisioning: "; wait until it is",
		stopping: `; wait until it is stopped, then ${start}`,
	};
	return remedies[status] ?? `; ${start}`;
}

/** Returns the pod of a running session. @throws {ConflictError} when the session does not run; {NotFoundError} without a pod. */
export function runningPod(record: SessionRecord, key: InstallationKey): PodAddress {
	refuseUnlessRunning(record);
	return podAddress(record, key);
}
