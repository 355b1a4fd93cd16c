/**
 * Checks that this process can use the files of the data folder. A command that somebody ran as another user, for example as
 * root, leaves files that the platform cannot read or write, and each would fail in a way of its own.
 */
import { accessSync, constants, lstatSync, readdirSync, type Stats } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { StartError } from "../start-error.ts";

/** The entries that the platform makes in its data folder, and how deep each is looked at; a disk has other entries, such as `lost+found`. */
const parts = { keys: 1, host: 1, store: 2, sessions: 1, credentials: 2, run: 1, "restore.lock": 0 } as const;

/** @throws {StartError} that names the first entry which cannot be used, its owner, and the remedy. */
export function refuseUnusableFiles(dataDir: string): void {
	const entries = [
		[dataDir, 0] as const,
		...Object.entries(parts).map(([name, depth]) => [join(dataDir, name), depth] as const),
	];
	refuseUnreachable(dataDir);
	for (const [path, depth] of entries) refuseUnusable(path, depth, dataDir);
}

/** The folders whose entries sessions may change the rights of, because they run as this user; that must keep no platform from its start. */
const ofSessions = new Set(["sessions", "run"]);

function refuseUnreachable(dataDir: string): void {
	try {
		lstatSync(dataDir, { throwIfNoEntry: false });
	} catch (cause) {
		const reason = (cause as Error).message;
		throw new StartError(
			`Cannot use the data folder "${dataDir}" (data_dir, or the environment variable DATA_DIR): ${reason}`,
			{
				cause,
			},
		);
	}
}

/** Returns sentences about keys that every user of the machine can read. */
export function exposedKeys(dataDir: string): string[] {
	const folder = join(dataDir, "keys");
	const files = entriesOf(folder).map((name) => join(folder, name));
	return files
		.filter((file) => ((statOf(file)?.mode ?? 0) & 0o007) !== 0)
		.map((file) => `Every user of this machine can read "${file}", which is secret: chmod 600 "${file}"`);
}

function refuseUnusable(path: string, depth: number, dataDir: string): void {
	const found = statOf(path);
	if (!found || !isLookedAt(path, found)) return;
	const rights = constants.R_OK | constants.W_OK | (found.isDirectory() ? constants.X_OK : 0);
	try {
		accessSync(path, rights);
	} catch (cause) {
		const message = `Cannot use the data folder "${dataDir}": this user (${ownName()}) may not read and write "${path}", which belongs to ${nameOf(found)}. ${remedyOf(found, path, dataDir)}`;
		throw new StartError(message, { cause });
	}
	if (depth === 0 || !found.isDirectory()) return;
	for (const name of entriesOf(path)) refuseUnusable(join(path, name), depth - 1, dataDir);
}

/** A link leads to a place that the operator has chosen. */
function isLookedAt(path: string, found: Stats): boolean {
	if (ofSessions.has(basename(dirname(path))) && isOwn(found)) return false;
	return found.isFile() || found.isDirectory();
}

function isOwn({ uid }: Stats): boolean {
	return uid === process.geteuid?.();
}

function nameOf(found: Stats): string {
	if (isOwn(found)) return "it";
	return found.uid === 0 ? "root" : `the user with the id ${found.uid}`;
}

/** A container may run with an id that has no name. */
function ownName(): string {
	try {
		return userInfo().username;
	} catch {
		return String(process.geteuid?.());
	}
}

function remedyOf(found: Stats, path: string, dataDir: string): string {
	const user = ownName();
	if (isOwn(found)) return `Give the user its rights back: chmod -R u+rwX "${path}"`;
	return `Give the folder back: chown -R ${user} "${dataDir}"; or run this as the user to whom the folder belongs`;
}

function statOf(path: string): Stats | undefined {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch {
		// The folder that it is in was refused already, or belongs to nobody who could be told here.
		return undefined;
	}
}

function entriesOf(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
