/**
 * The files of a session in the machine's folders for temporary files, which other programs of the machine use too: a
 * file is the session's if its name or its content has the session's id, if it is a folder with the agent's name, or if
 * it is a socket that is named after one of the session's processes.
 */
import { closeSync, lstatSync, openSync, readdirSync, readSync, realpathSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const folders = [tmpdir(), "/tmp", "/var/tmp", "/dev/shm"];
/** The tests of this project make their own folders, with the platform's data, under this name. */
const ofTests = /^atelier-/;
const maxDepth = 4;
const maxBytes = 262_144;

export interface LeftBy {
	/** The ids of the sessions. */
	readonly sessions: readonly string[];
	readonly agent: string;
	/** The ids of their processes. */
	readonly pids: ReadonlySet<number>;
	/** Older files are not looked at, in milliseconds since 1970. */
	readonly sinceMs: number;
}

/** Returns the paths. A folder that is inside another one, as that of this process may be, is looked at once. */
export function leftFiles(by: LeftBy): string[] {
	const roots = new Set(folders.flatMap((folder) => realPath(folder)));
	const found = [...roots].flatMap((root) => namesIn(root).flatMap((name) => lookAt(join(root, name), by, 1)));
	return [...new Set(found)];
}

function lookAt(path: string, by: LeftBy, depth: number): string[] {
	const stat = ofTests.test(basename(path)) ? undefined : lstatSync(path, { throwIfNoEntry: false });
	if (!stat) return [];
	const isNew = Math.max(stat.ctimeMs, stat.mtimeMs) >= by.sinceMs;
	if (isNew && (isNamed(path, stat, by) || isSocketOf(path, stat, by) || hasSession(path, stat, by))) return [path];
	if (!stat.isDirectory() || depth >= maxDepth) return [];
	return namesIn(path).flatMap((name) => lookAt(join(path, name), by, depth + 1));
}

function isNamed(path: string, stat: Stats, { sessions, agent }: LeftBy): boolean {
	const name = basename(path);
	const isOfAgent = stat.isDirectory() && name.toLowerCase().includes(agent);
	return isOfAgent || sessions.some((session) => name.includes(session));
}

function isSocketOf(path: string, stat: Stats, { pids }: LeftBy): boolean {
	return stat.isSocket() && (basename(path).match(/\d+/g) ?? []).some((number) => pids.has(Number(number)));
}

function hasSession(path: string, stat: Stats, { sessions }: LeftBy): boolean {
	if (!stat.isFile()) return false;
	const text = beginningOf(path);
	return sessions.some((session) => text.includes(session));
}

function beginningOf(path: string): string {
	try {
		const file = openSync(path, "r");
		try {
			const bytes = Buffer.alloc(maxBytes);
			return bytes.toString("latin1", 0, readSync(file, bytes));
		} finally {
			closeSync(file);
		}
	} catch {
		// It is another person's, or it is gone.
		return "";
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function realPath(folder: string): string[] {
	try {
		return [realpathSync(folder)];
	} catch {
		return [];
	}
}
