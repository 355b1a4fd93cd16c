/**
 * Limits the connections of the gateway. Every connection is an open file of this process, which needs others for the
 * store and to start sessions, so clients must not use them all.
 */
import { readFileSync } from "node:fs";

/**
 * The share of open files for connections; the rest is for everything else, including the gateway's connections to
 * pods.
 */
const share = 0.5;

/** The limit, and what it means for the installation. */
interface ConnectionLimit {
	readonly connections: number;
	/** A sentence for the operator when the limit is lower than wanted. */
	readonly shortcoming?: string;
}

/** @param openFiles The most files that this process may have open; default: the system's limit, if there is one. */
export function connectionLimit(wanted: number, openFiles = openFilesLimit()): ConnectionLimit {
	const room = openFiles === undefined ? wanted : Math.max(1, Math.floor(openFiles * share));
	if (room >= wanted) return { connections: wanted };
	return {
		connections: room,
		shortcoming: `At most ${room} connections are taken at once, not ${wanted}, because the system lets this process open ${openFiles} files only (ulimit -Hn, LimitNOFILE=)`,
	};
}

/**
 * Reads the limit, which Node has raised to the hard limit. Linux only (proc(5)); undefined elsewhere and without a
 * limit.
 */
function openFilesLimit(): number | undefined {
	try {
		const limit = /^Max open files +(\d+) /m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
		return limit === undefined ? undefined : Number(limit);
	} catch {
		return undefined;
	}
}
