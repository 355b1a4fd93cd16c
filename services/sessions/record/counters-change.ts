/** By how much a change of a session changes how many there are, and how many run. Pure. */

/** The counters that events of sessions carry. The names are stored. */
export type SessionCounters = Readonly<Record<"sessions" | "running_sessions", number>>;

/** What a change of status changes; undefined: nothing. A status that is absent is that of no session. */
export function countersChange(before: string | undefined, after: string | undefined): SessionCounters | undefined {
	const sessions = counts(after) - counts(before);
	const running_sessions = Number(after === "running") - Number(before === "running");
	return sessions === 0 && running_sessions === 0 ? undefined : { sessions, running_sessions };
}

function counts(status: string | undefined): number {
	return Number(status !== undefined && status !== "deleted");
}
