/**
 * Limits a command without rights or programs beyond those of every Linux: the shell bounds the memory of each process
 * (RLIMIT_DATA), and `taskset` the processors. Both hold for everything that the command starts.
 */
import { createHash } from "node:crypto";
import { delimiter } from "node:path";
import { programIn } from "#shared/base/files/program-in-folders.ts";
import type { ResourceLimits } from "#shared/wire/pod/resource-limits.ts";
import { readProc } from "#shared/base/files/process-files.ts";

/** A command, and sentences about limits that cannot be set. */
export interface LimitedCommand {
	readonly command: readonly string[];
	readonly warnings: readonly string[];
}

/** The session whose command is limited. */
export interface LimitedSession {
	/** Sessions with different ids use different processors, as far as there are enough. */
	readonly id: string;
	readonly path: string;
}

/** A bound of the system that is lower already remains. */
const boundMemory = 'ulimit -d "$1" || echo "The memory cannot be limited to $1 KiB" >&2; shift; exec "$@"';

/** Returns the command as it has to be started. */
export async function limitedCommand(
	command: readonly string[],
	{ processors, memoryBytes }: ResourceLimits,
	{ id, path }: LimitedSession,
): Promise<LimitedCommand> {
	const warnings: string[] = [];
	let limited = command;
	const allowed = processors === undefined ? [] : allowedProcessors();
	// A part of a processor counts as a whole one.
	const count = Math.ceil(processors ?? Infinity);
	if (count < allowed.length) {
		const folders = path.split(delimiter).filter((folder) => folder.startsWith("/"));
		const program = await programIn(folders, "taskset");
		if (program === undefined) warnings.push(`The session's processors are not limited: "taskset" is not installed`);
		else limited = [program, "-c", chosenProcessors(allowed, count, id).join(","), ...limited];
	}
	if (memoryBytes !== undefined)
		limited = ["/bin/sh", "-c", boundMemory, "sh", String(Math.floor(memoryBytes / 1_024)), ...limited];
	return { command: limited, warnings };
}

/** Chooses neighbouring processors; the id tells where they begin. Pure. */
export function chosenProcessors(allowed: readonly number[], count: number, id: string): number[] {
	const begin = createHash("sha256").update(id).digest().readUInt32BE() % Math.max(allowed.length, 1);
	return [...allowed.slice(begin), ...allowed.slice(0, begin)].slice(0, count).toSorted((a, b) => a - b);
}

/** Parses a list of the system, e.g. `0-3,8`. Pure. */
export function readProcessorList(text: string): number[] {
	return text.split(",").flatMap((part) => {
		const [, from, to = from] = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part) ?? [];
		const [first, last] = [Number(from), Number(to)];
		return first <= last ? Array.from({ length: last - first + 1 }, (_, n) => first + n) : [];
	});
}

/** Returns the numbers of the processors that this process may use; none if the system does not tell. */
function allowedProcessors(): number[] {
	const status = readProc(process.pid, "status") ?? "";
	return readProcessorList(/^Cpus_allowed_list:\t(.*)$/m.exec(status)?.[1] ?? "");
}
