/** The lease of a session to one pass of a pod manager. */
import { placeTaken } from "../record/launch-places.ts";
import { both, type ColumnChange } from "../record/session-change.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import { deadlinesMs } from "../record/session-lifecycle.ts";

/** The length of a lease in milliseconds. It covers one pass and is never renewed. */
const leaseMs = 15_000;

/** The clock of another process may be ahead of this one's by this much, in milliseconds. */
const maxAheadMs = 30_000;

/** Where a pass may launch a session: in its workspace, on a host if its pods belong to one. */
export type LaunchPlace = Pick<SessionDocument, "workspace" | "host">;

/** Returns the change that begins a lease. @param place Absent: the pass launches nothing. */
export function leaseChange(document: SessionDocument, at: number, place?: LaunchPlace) {
	const lease = { lease_until: at + leaseMs, due_at: at + leaseMs, claimed_rev: document.rev ?? 0 };
	const changes = [{ set: { ...place } }, firstClaim(document, at), placeTaken(document, at)];
	return { ...changes.reduce(both, { set: lease }), inc: { fence: 1, attempts: 1 } as const };
}

/** The time to start begins with the first claim of a launch. */
function firstClaim({ status, claimed_at }: SessionDocument, at: number): ColumnChange {
	if (status !== "starting" || claimed_at !== undefined) return {};
	return { set: { claimed_at: at, deadline_at: at + (deadlinesMs.starting ?? 0) } };
}

/**
 * Whether the session is leased. Another process's clock may be ahead; a lease that ends even later was written before
 * the clock was set back.
 */
export function isLeased({ lease_until = 0 }: SessionDocument, at: number): boolean {
	return lease_until > at && lease_until <= at + leaseMs + maxAheadMs;
}
