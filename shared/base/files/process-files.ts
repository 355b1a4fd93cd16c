/**
 * Reads the kernel's files about a process in `/proc/<pid>` (proc(5)), and sends signals that cannot reach a later
 * process with the same id.
 */
// oxlint-disable-next-line no-restricted-imports -- nobody puts anything in the place of a file below /proc
import { closeSync, openSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs";
import { uptime } from "node:os";

/** Identifies a process by its id and its start time, because the system reuses ids. */
export interface ProcessIdentity {
	readonly pid: number;
	/** Clock ticks from the start of the machine to the start of the process. */
	readonly startTime: string;
}

/** The length of a clock tick; it is 10 ms on every Linux (`getconf CLK_TCK`). */
const tickMs = 10;

/** The buffer for one line of `stat`, which has at most about 400 characters. */
const stat = Buffer.alloc(1_024);

/** Returns undefined when there is no such process or it is a zombie. */
export function startTimeOf(pid: number): string | undefined {
	const line = readStat(pid);
	if (line === undefined) return undefined;
	// The process name in front of these fields is in parentheses and may itself contain parentheses.
	const fields = line.slice(line.lastIndexOf(")") + 2).split(" ", 20);
	return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

/**
 * Returns the present time in the unit of {@link ProcessIdentity.startTime}; it may be a few ticks early. A container
 * may show a time of its own in `/proc/uptime`; there the age of this process gives the time, without the time that the
 * machine slept.
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

/** Returns undefined when the process has ended or belongs to another user. */
export function readProc(pid: number, file: "environ" | "cmdline" | "cgroup" | "status"): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "latin1");
	} catch {
		// A process may end while it is read (ENOENT, ESRCH); EACCES means that it belongs to another user.
		return undefined;
	}
}

/** Whether the standard input of the process is a pipe or a socket. */
export function hasPipedInput(pid: number): boolean {
	try {
		return /^(pipe|socket):/.test(readlinkSync(`/proc/${pid}/fd/0`));
	} catch {
		return false;
	}
}

/** Sends a signal to the process, or to the process group it leads, unless its id belongs to another process now. */
export function sendSignal(target: ProcessIdentity, signal: NodeJS.Signals, { group = false } = {}): void {
	if (!isAlive(target)) return;
	try {
		process.kill(group ? -target.pid : target.pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Reads the file with three system calls, because this runs for every process of the machine again and again. */
function readStat(pid: number): string | undefined {
	let file: number | undefined;
	try {
		file = openSync(`/proc/${pid}/stat`, "r");
		return stat.toString("latin1", 0, readSync(file, stat));
	} catch {
		// The process has ended.
		return undefined;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}
