/**
 * The session state machine: the allowed commands and the desired pods of each status. Pure; the table is in
 * docs/session-life.md.
 */
import type { SessionStatus } from "#shared/contracts/sessions/session-resource.ts";
import type { Desired } from "#shared/contracts/sessions/session-work.ts";
import { ConflictError } from "#shared/base/errors.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { provisioningMs } from "#shared/wire/launch/setup-time.ts";

export const commands = ["start", "stop", "archive", "restore", "delete"] as const;
export type Command = (typeof commands)[number];

/** The status of a stored session, which may be a tombstone. */
export type StoredStatus = SessionStatus | "deleted";

/** The statuses after commands; a command that is not listed is a conflict. */
const transitions: Record<SessionStatus, Partial<Record<Command, StoredStatus>>> = {
	created: { start: "starting", archive: "archived", delete: "deleted" },
	starting: { stop: "stopping", archive: "archived", delete: "deleted" },
	provisioning: { stop: "stopping", archive: "archived", delete: "deleted" },
	running: { stop: "stopping", archive: "archived", delete: "deleted" },
	stopping: { archive: "archived", delete: "deleted" },
	stopped: { start: "starting", archive: "archived", delete: "deleted" },
	failed: { start: "starting", archive: "archived", delete: "deleted" },
	archived: { restore: "stopped", delete: "deleted" },
};

/** Returns the status after a command. @throws {ConflictError} when the command is not allowed in this status. */
export function next(status: SessionStatus, command: Command): StoredStatus {
	const to = transitions[status][command];
	if (to) return to;
	const allowed = commands.filter((other) => transitions[status][other] !== undefined);
	throw new ConflictError(
		`Cannot ${command} a session that is ${status}; possible now: ${allowed.join(", ")}`,
		"SESSION_STATUS",
		{ status, allowed },
	);
}

export function mayStart(status: SessionStatus): boolean {
	return transitions[status].start !== undefined;
}

/** Returns the desired state of the pods of a session in this status; a deleted one leaves no records either. */
export function desiredOf(status: StoredStatus): Desired {
	if (status === "deleted") return "purge";
	return status === "starting" || status === "provisioning" || status === "running" ? "run" : "stop";
}

/** How long the platform usually waits in a status before it gives up, in milliseconds; absent: for ever. */
export const deadlinesMs: Partial<Record<StoredStatus, number>> = {
	starting: 60_000,
	provisioning: provisioningMs({}),
	stopping: 120_000,
};

/** Returns the time limit of a status in milliseconds; a launch may have a longer one to be prepared. */
export function limitMs(status: StoredStatus, launch: unknown): number | undefined {
	return status === "provisioning" ? provisioningMs((launch ?? {}) as LaunchSettings) : deadlinesMs[status];
}

export function shelfOf(status: StoredStatus): "active" | "archived" | "deleted" {
	return status === "archived" || status === "deleted" ? status : "active";
}
