/**
 * Keeps Node from opening its debugger on SIGUSR1. The debugger is a port of loopback where every user of the machine
 * may run code in this process and read its memory, whatever `kernel.yama.ptrace_scope` says. One `kill` by a session's
 * command would be enough.
 */

/** Makes this process ignore SIGUSR1 for the rest of its life. */
export function ignoreDebuggerSignal(): void {
	process.on("SIGUSR1", () => {});
}
