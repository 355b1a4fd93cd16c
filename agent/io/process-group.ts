/** Signals to a child process and everything it started in its own process group. */
import { constants } from "node:os";

/** Does nothing when the group is gone. @param leader Process id of a child started `detached`. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
	if (leader === undefined) return;
	try {
		process.kill(-leader, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Exit code as a shell tells it: 128 + n when signal n ended the process. */
export function shellExitCode(code: number | null, signal: NodeJS.Signals | null): number {
	return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
