/** Reads the kernel's files about a process that may end meanwhile. */
import { readFileSync } from "node:fs";

const unreadable = ["ENOENT", "ESRCH", "EACCES"];

/**
 * Returns a file of proc(5): `status` has lines; `environ` and `cmdline` end each entry with a NUL. Empty when the
 * process is gone, or when only another user may read the file.
 */
export function processFile(pid: number, name: "cmdline" | "environ" | "smaps_rollup" | "status"): string {
	try {
		return readFileSync(`/proc/${pid}/${name}`, "utf8");
	} catch (error) {
		// A process that has ended gives ENOENT when the file is opened and ESRCH afterwards.
		if (error instanceof Error && "code" in error && unreadable.includes(String(error.code))) return "";
		throw error;
	}
}
