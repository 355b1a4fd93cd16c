/** Says which pod managers may act for a session or a workspace whose files are on one host (decision 0077). */

export interface HostBinding {
	/** Whether there can be no other host, so that what was bound to one is lost. */
	readonly isAlone: boolean;
}

/** The binding of a platform whose processes may have several hosts. */
export const severalHosts: HostBinding = { isAlone: false };

/**
 * Whether a pod manager on this host may act for a session or a workspace.
 * @param bound The host of its files; absent: it has none yet, or its pods belong to no host.
 * @param host Absent: a pod manager of a runtime that reaches all pods.
 */
export function mayActFor({ isAlone }: HostBinding, bound: string | undefined, host: string | undefined): boolean {
	return isAlone || host === undefined || bound === undefined || bound === host;
}
