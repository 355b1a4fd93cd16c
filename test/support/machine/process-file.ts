/** What the kernel tells of a process that may end while one looks. */
import { readFileSync } from "node:fs";

/** Of proc(5): lines of `status`; `environ` and `cmdline` end each entry with a NUL. Empty when the process is gone. */
export function processFile(pid: number, name: "cmdline" | "environ" | "smaps_rollup" | "status"): string {
	try {
		return readFileSync(`/proc/${pid}/${name}`, "utf8");
	} catch (error) {
		// ENOENT before it is opened, ESRCH afterwards.
		if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return "";
		throw error;
	}
}
