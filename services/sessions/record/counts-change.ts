/** By how much a change of a session changes how many there are, and how many run. Pure. */
import type { EventCounts } from "#shared/store/document-store.ts";

/** What a change of status changes; undefined: nothing. A status that is absent is that of no session. */
export function countsChange(before: string | undefined, after: string | undefined): EventCounts | undefined {
	const sessions = counts(after) - counts(before);
	const running = Number(after === "running") - Number(before === "running");
	return sessions === 0 && running === 0 ? undefined : { sessions, running };
}

function counts(status: string | undefined): number {
	return Number(status !== undefined && status !== "deleted");
}
