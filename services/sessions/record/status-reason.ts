/** Explains the status of a session in words for the person who looks at it. */
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import {
	type Failure,
	type FailureCode,
	type ReasonCode,
	statusReasons,
} from "#shared/contracts/sessions/status-reasons.ts";
import { isoTime } from "#shared/base/clock.ts";
import { deadlinesMs, type StoredStatus } from "./session-lifecycle.ts";

type Reason = NonNullable<Session["status_reason"]>;

const usual = {
	created: "NOT_STARTED",
	starting: "LAUNCH_REQUESTED",
	provisioning: "POD_PREPARING",
	running: "POD_READY",
	stopping: "STOP_REQUESTED",
	stopped: "POD_ENDED",
	failed: "FAILED",
	archived: "ARCHIVED",
	deleted: "DELETED",
} as const satisfies Record<StoredStatus, ReasonCode>;

/** Returns the reason of a status entered at `since` (milliseconds); `failure` replaces the usual text. */
export function reasonFor(
	status: StoredStatus,
	since: number,
	failure?: { code: string; message: string },
	limitMs = deadlinesMs[status],
): Reason {
	// The time limit of a launch begins with its first claim, whose time is not known yet.
	const limit = status === "starting" ? undefined : limitMs;
	return {
		...(failure ?? { code: usual[status], message: statusReasons[usual[status]][0] }),
		since: isoTime(since),
		deadline: limit === undefined ? null : isoTime(since + limit),
	};
}

const late: Partial<Record<StoredStatus, FailureCode>> = {
	starting: "START_TIMEOUT",
	provisioning: "PROVISION_TIMEOUT",
	stopping: "STOP_TIMEOUT",
};

/** Returns the failure of a status that lasted longer than its deadline. */
export function timeoutFailure(status: StoredStatus, limitMs = deadlinesMs[status]): Failure {
	const seconds = (limitMs ?? 0) / 1_000;
	const remedy = status === "provisioning" ? "; the operator can raise this limit with pods.setup_minutes" : "";
	return { code: late[status] ?? "FAILED", message: `The session was ${status} for more than ${seconds} s${remedy}` };
}
