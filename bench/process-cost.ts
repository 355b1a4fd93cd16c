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

/** Bytes of memory it has, what it shares included (proc(5), status: VmRSS). */
export function memoryBytes(pid: number): number {
	const [, kib = "0"] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
	return Number(kib) * 1_024;
}
