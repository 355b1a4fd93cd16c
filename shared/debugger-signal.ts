/**
 * Node opens its debugger on SIGUSR1: a port of loopback where every user of the machine may run code in this process and read
 * its memory, whatever the system says about that (`kernel.yama.ptrace_scope`). One `kill` by a session's command is enough.
 */

/** From now on nothing happens at that signal. */
export function ignoreDebuggerSignal(): void {
	process.on("SIGUSR1", () => {});
}
