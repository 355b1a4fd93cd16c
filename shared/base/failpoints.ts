/**
 * Points at which a fault run may stop a process. `ATELIER_FAILPOINTS="pod-manager.claimed=kill"` ends the process with
 * SIGKILL when it first passes that point; `=stop` freezes it with SIGSTOP; `=throw` throws an error. Without the
 * variable a point costs one map lookup.
 */
const armed = new Map(
	(process.env["ATELIER_FAILPOINTS"] ?? "")
		.split(",")
		.filter(Boolean)
		.map((entry) => entry.split("=") as [string, string]),
);

/** @throws {Error} when the point is armed with `throw`. */
export function failpoint(name: string): void {
	const fault = armed.get(name);
	if (fault === undefined) return;
	armed.delete(name);
	if (fault === "kill") process.kill(process.pid, "SIGKILL");
	if (fault === "stop") process.kill(process.pid, "SIGSTOP");
	if (fault === "throw") throw new Error(`Failpoint "${name}"`);
}
