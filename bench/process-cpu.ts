/** What a process has cost so far, as the kernel counts it. */
import { readdirSync, readFileSync } from "node:fs";

/** Microseconds on a processor, of all threads that still live (proc(5), schedstat). */
export function cpuMicros(pid: number): number {
	const threads = readdirSync(`/proc/${pid}/task`);
	const nanos = threads.map((thread) =>
		Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
	);
	return nanos.reduce((sum, each) => sum + each, 0) / 1_000;
}

/** Bytes of memory that are its own or shared by halves (proc(5), smaps_rollup: Pss). */
export function memoryBytes(pid: number): number {
	const [, kib = "0"] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
	return Number(kib) * 1_024;
}
