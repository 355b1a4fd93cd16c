/**
 * How many connections the gateway takes: every one is an open file of this process, which needs others for the store and to start
 * sessions. Whoever holds connections, known or not, must not have them all.
 */
import { readFileSync } from "node:fs";

/** The other half is for everything else, the far ends of chats among it. */
const share = 0.5;

export interface ConnectionLimit {
	readonly connections: number;
	/** For whoever runs the platform, where it is less than was wanted. */
	readonly shortcoming?: string;
}

/** @param openFiles How many files this process may have open; default what the system says, if it does. */
export function connectionLimit(wanted: number, openFiles = openFilesLimit()): ConnectionLimit {
	const room = openFiles === undefined ? wanted : Math.max(1, Math.floor(openFiles * share));
	if (room >= wanted) return { connections: wanted };
	return {
		connections: room,
		shortcoming: `At most ${room} connections are taken at once, not ${wanted}, because the system lets this process open ${openFiles} files only (ulimit -Hn, LimitNOFILE=)`,
	};
}

/** Node raises it to the most it may have. Linux only (proc(5)); undefined also without a limit. */
function openFilesLimit(): number | undefined {
	try {
		const limit = /^Max open files +(\d+) /m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
		return limit === undefined ? undefined : Number(limit);
	} catch {
		return undefined;
	}
}
