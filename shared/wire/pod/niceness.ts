/**
 * Priorities of processes when processors are busy: the platform comes first, then the agents of sessions, then the
 * coding agents with their commands. So one user's commands do not delay the answers and starts of others.
 */
import { setPriority } from "node:os";

/** The niceness of processes (nice(1)): a higher value means a lower priority. Child processes inherit it. */
export const niceness = { sessionAgent: 5, codingAgent: 10 } as const;

/** Sets the niceness; does nothing for a process that has ended. */
export function setNiceness(pid: number | undefined, value: number): void {
	if (pid === undefined) return;
	try {
		setPriority(pid, value);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ERR_SYSTEM_ERROR") throw error;
	}
}
