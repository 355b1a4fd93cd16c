/** Computes how a change of a session changes the counts of sessions and of running sessions. Pure. */

/** The counters in events of sessions. Their names are stored. */
export type SessionCounters = Readonly<Record<"sessions" | "running_sessions", number>>;

/**
 * Returns the changes of the counters by a change of status; undefined when there are none. An absent status is that of
 * no session.
 */
export function countersChange(before: string | undefined, after: string | undefined): SessionCounters | undefined {
	const sessions = counts(after) - counts(before);
	const running_sessions = Number(after === "running") - Number(before === "running");
	return sessions === 0 && running_sessions === 0 ? undefined : { sessions, running_sessions };
}

function counts(status: string | undefined): number {
	return Number(status !== undefined && status !== "deleted");
}
