/**
 * Who goes first where processors are short: the platform, then the agents of sessions, then their coding agents with all
 * their commands, so that one user's commands keep nobody else from being answered or started.
 */
import { setPriority } from "node:os";

/** As of nice(1): the higher, the later. What a process starts inherits it. */
export const niceness = { sessionAgent: 5, codingAgent: 10 } as const;

/** One that has ended already needs none. */
export function setNiceness(pid: number | undefined, value: number): void {
	if (pid === undefined) return;
	try {
		setPriority(pid, value);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ERR_SYSTEM_ERROR") throw error;
	}
}
