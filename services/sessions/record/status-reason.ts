/** Explains the status of a session in words for the person who looks at it. */
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { isoTime } from "#shared/base/clock.ts";
import { deadlinesMs, type StoredStatus } from "./session-lifecycle.ts";

type Reason = NonNullable<Session["status_reason"]>;

const usual: Record<StoredStatus, { code: string; message: string }> = {
	created: { code: "NOT_STARTED", message: "The session has not been started yet" },
	starting: { code: "LAUNCH_REQUESTED", message: "The session waits for its pod" },
	provisioning: { code: "POD_PREPARING", message: "The pod prepares the workspace and the agent" },
	running: { code: "POD_READY", message: "The agent is ready" },
	stopping: { code: "STOP_REQUESTED", message: "The pod is being ended" },
	stopped: { code: "POD_ENDED", message: "The pod has ended; the workspace is kept" },
	failed: { code: "FAILED", message: "The session failed" },
	archived: { code: "ARCHIVED", message: "The session is archived" },
	deleted: { code: "DELETED", message: "The session is deleted" },
};

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
		...(failure ?? usual[status]),
		since: isoTime(since),
		deadline: limit === undefined ? null : isoTime(since + limit),
	};
}

/** Returns the failure of a status that lasted longer than its deadline. */
export function timeoutFailure(status: StoredStatus, limitMs = deadlinesMs[status]): { code: string; message: string } {
	const seconds = (limitMs ?? 0) / 1_000;
	const codes: Partial<Record<StoredStatus, string>> = {
		starting: "START_TIMEOUT",
		provisioning: "PROVISION_TIMEOUT",
		stopping: "STOP_TIMEOUT",
	};
	const remedy = status === "provisioning" ? "; the operator can raise this limit with pods.setup_minutes" : "";
	return { code: codes[status] ?? "TIMEOUT", message: `The session was ${status} for more than ${seconds} s${remedy}` };
}
