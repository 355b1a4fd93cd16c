/** Reads the cost of a process from the kernel's counters. */
import { readdirSync, readFileSync } from "node:fs";

/** Returns the processor time of all living threads in microseconds (proc(5), schedstat). */
export function cpuMicros(pid: number): number {
	const threads = readdirSync(`/proc/${pid}/task`);
	const nanos = threads.map((thread) =>
		Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
	);
	return nanos.reduce((sum, each) => sum + each, 0) / 1_000;
}

/** Returns the resident memory in bytes, including shared memory (proc(5), status: VmRSS). */
export function memoryBytes(pid: number): number {
	const [, kib = "0"] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
	return Number(kib) * 1_024;
}
