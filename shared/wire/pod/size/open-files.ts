/**
 * Finds the files that the processes of a session have open (proc(5)): one that was removed while it is open is in no folder, and
 * occupies the disk until it is closed. It sees what this process may see: the processes of its own user, or all if it is root, in
 * its own namespace of processes. Calls block, so it runs in the thread of a count.
 */
import { opendirSync, type Stats, statSync } from "node:fs";
import { readProc } from "#shared/base/files/process-files.ts";

const containerId = /^[0-9a-f]{64}$/;
const number = /^[0-9]+$/;

/** The processes that have the files. */
export interface OpenedBy {
	readonly pids?: readonly number[];
	/** The full ids of containers; a control group has the id of its container in its name. */
	readonly containers?: readonly string[];
}

/** Yields each open file, and undefined for a thing that cannot be read or is another process, so that the caller can give up. */
export function* openFilesOf({ pids = [], containers = [] }: OpenedBy): Generator<Stats | undefined> {
	for (const pid of pids) yield* filesOf(String(pid));
	const ids = containers.filter((id) => containerId.test(id));
	if (ids.length === 0) return;
	for (const pid of namesIn("/proc")) {
		yield undefined;
		const group = number.test(pid) ? readProc(Number(pid), "cgroup") : undefined;
		if (group !== undefined && ids.some((id) => group.includes(id))) yield* filesOf(pid);
	}
}

function* filesOf(pid: string): Generator<Stats | undefined> {
	for (const name of namesIn(`/proc/${pid}/fd`)) yield tried(() => statSync(`/proc/${pid}/fd/${name}`));
}

function* namesIn(folder: string): Generator<string> {
	const opened = tried(() => opendirSync(folder));
	if (!opened) return;
	try {
		for (let entry = tried(() => opened.readSync()); entry; entry = tried(() => opened.readSync())) yield entry.name;
	} finally {
		opened.closeSync();
	}
}

/** A process may end while it is read, and may belong to another user. */
function tried<T>(call: () => T): T | undefined {
	try {
		return call();
	} catch {
		return undefined;
	}
}
