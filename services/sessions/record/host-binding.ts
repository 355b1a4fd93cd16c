/** Says which pod managers may act for a session or a workspace whose files are on one host (decision 0077). */
import { monotonic } from "#shared/base/clock.ts";

/**
 * How long hosts have, after a start, to name the files that an earlier version has left there, in milliseconds. Until
 * then nobody acts for what was launched and names no host: another host would find no pod, and call it lost.
 */
const adoptionMs = 30_000;

/** The part of a record that says where its files are. */
interface Bound {
	/** The id of the host; absent: its files are nowhere yet, or were made by an earlier version. */
	readonly host?: string | undefined;
	/** Whether it may have files. */
	readonly isLaunched: boolean;
}

interface BoundSession {
	readonly host?: string;
	readonly unplaced?: number;
	readonly fence?: number;
	readonly claimed_at?: number;
	readonly generation?: number;
}

/** The columns that say whether a session may have been launched. */
export const boundColumns = ["host", "unplaced", "fence", "claimed_at", "generation"] as const;

/** The rule of one process, which counts from its start. */
export class HostBinding {
	/** Whether there can be no other host, so that nobody has to be waited for. */
	readonly isAlone: boolean;
	readonly #startedAt = monotonic();

	constructor({ isAlone = false }: { readonly isAlone?: boolean } = {}) {
		this.isAlone = isAlone;
	}

	/**
	 * Whether a pod manager on this host may act for it. The only one may act for everything: when there is no other host,
	 * what was bound to one is lost. @param host Absent: a pod manager of an earlier version, or of a runtime that reaches
	 * all pods.
	 */
	mayActFor({ host: bound, isLaunched }: Bound, host: string | undefined): boolean {
		if (this.isAlone || host === undefined || bound === host) return true;
		if (bound !== undefined) return false;
		return !isLaunched || monotonic() - this.#startedAt >= adoptionMs;
	}

	/** Whether a pod manager on this host may act for a session. */
	mayActForSession(session: BoundSession, host?: string): boolean {
		const { host: bound, claimed_at, generation = 0 } = session;
		const isLaunched = !isUnplaced(session) && (claimed_at !== undefined || generation > 1);
		return this.mayActFor({ host: bound, isLaunched }, host);
	}
}

/** Whether nothing of the session is on any host for certain. */
export function isUnplaced({ unplaced, fence }: Pick<BoundSession, "unplaced" | "fence">): boolean {
	return unplaced !== undefined && unplaced === fence;
}
