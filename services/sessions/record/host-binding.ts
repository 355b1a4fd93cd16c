/**
 * Says which pod managers may act for a session or a workspace whose files are on one host (decision 0077). Pure, but for
 * the time since the start of the process.
 */
import { monotonic } from "#shared/clock.ts";

/**
 * How long hosts have, after a start, to name the files that an earlier version has left there, in milliseconds. Until
 * then nobody acts for what was launched and names no host: another host would find no pod, and call it lost.
 */
const adoptionMs = 30_000;

const startedAt = monotonic();

/** The part of a record that says where its files are. */
interface Bound {
	/** The id of the host; absent: its files are nowhere yet, or were made by an earlier version. */
	readonly host?: string | undefined;
	/** Whether it may have files. */
	readonly isLaunched: boolean;
}

/**
 * Whether a pod manager on this host may act for it. @param host Absent: a pod manager of an earlier version, or of a
 * runtime that reaches all pods.
 */
export function mayActFor({ host: bound, isLaunched }: Bound, host: string | undefined): boolean {
	if (host === undefined || bound === host) return true;
	if (bound !== undefined) return false;
	return !isLaunched || monotonic() - startedAt > adoptionMs;
}

/** The columns that say whether a session may have been launched. */
export const boundColumns = ["host", "claimed_at", "generation"] as const;

interface BoundSession {
	readonly host?: string;
	readonly claimed_at?: number;
	readonly generation?: number;
}

/** Whether a pod manager on this host may act for a session. */
export function mayActForSession({ host: bound, claimed_at, generation = 0 }: BoundSession, host?: string): boolean {
	return mayActFor({ host: bound, isLaunched: claimed_at !== undefined || generation > 1 }, host);
}
