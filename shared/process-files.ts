/** What the kernel tells of a process in `/proc/<pid>` (proc(5)), and signals that reach no other one with its id. */
// oxlint-disable-next-line no-restricted-imports -- nobody puts anything in the place of a file below /proc
import { closeSync, openSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs";
import { uptime } from "node:os";

/** A process is known by its id together with its start time, because the system reuses ids. */
export interface ProcessIdentity {
	readonly pid: number;
	/** Clock ticks from the machine's start to the process's. */
	readonly startTime: string;
}

/** Ticks are hundredths of a second wherever Linux runs (`getconf CLK_TCK`). */
const tickMs = 10;

/** A line of `stat` is at most some 400 characters long. */
const stat = Buffer.alloc(1_024);

/** Undefined when there is no such process, or only its exit status is left. */
export function startTimeOf(pid: number): string | undefined {
	const line = readStat(pid);
	if (line === undefined) return undefined;
	// The name before it is in parentheses and may hold anything, parentheses too.
	const fields = line.slice(line.lastIndexOf(")") + 2).split(" ", 20);
	return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

/**
 * Now, as processes that start now are dated; at most some ticks early. Where a container shows a time of its own in
 * `/proc/uptime`, the age of this process tells it, which lacks only the time that the machine slept.
 */
export function startTimeNow(): number {
	const own = Number(startTimeOf(process.pid) ?? 0);
	return Math.floor(Math.max(uptime() * 1_000, own * tickMs + process.uptime() * 1_000) / tickMs);
}

export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
	return startTimeOf(pid) === startTime;
}

export function ownerOf(pid: number): number | undefined {
	return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** Undefined when the process has ended or belongs to somebody else. */
export function readProc(pid: number, file: "environ" | "cmdline" | "cgroup"): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "latin1");
	} catch {
		// Processes end while they are looked at: ENOENT, ESRCH; EACCES says it is none of ours.
		return undefined;
	}
}

/** Whether its standard input is a pipe or a socket. */
export function hasPipedInput(pid: number): boolean {
	try {
		return /^(pipe|socket):/.test(readlinkSync(`/proc/${pid}/fd/0`));
	} catch {
		return false;
	}
}

/** Sends a signal to the process, or to the whole group it leads, unless its id belongs to another one by now. */
export function sendSignal(target: ProcessIdentity, signal: NodeJS.Signals, { group = false } = {}): void {
	if (!isAlive(target)) return;
	try {
		process.kill(group ? -target.pid : target.pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Three system calls: it is asked for every process of the machine, again and again. */
function readStat(pid: number): string | undefined {
	let file: number | undefined;
	try {
		file = openSync(`/proc/${pid}/stat`, "r");
		return stat.toString("latin1", 0, readSync(file, stat));
	} catch {
		// It has ended.
		return undefined;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}
