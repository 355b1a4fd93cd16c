/**
 * Checks that this process can use the files of the data folder. A command that somebody ran as another user, for example as
 * root, leaves files that the platform cannot read or write, and each would fail in a way of its own.
 */
import { accessSync, constants, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { StartError } from "../start-error.ts";

/** The entries that the platform makes in its data folder, and how deep each is looked at; a disk has other entries, such as `lost+found`. */
const parts = { keys: 1, host: 1, store: 2, sessions: 1, credentials: 2, run: 1, "restore.lock": 0 } as const;

/**
 * @param others Further entries that the caller writes, and how deep each is looked at. @throws {StartError} that names the first
 * entry which cannot be used, its owner, and the remedy.
 */
export function refuseUnusableFiles(dataDir: string, others: Readonly<Record<string, number>> = {}): void {
	const top = topOf(dataDir);
	refuseUnreachable(dataDir);
	refuseRoot(dataDir);
	refuseUnusable(dataDir, 0, top);
	for (const [name, depth] of Object.entries({ ...parts, ...others })) refuseUnusable(join(dataDir, name), depth, top);
}

/** Does the same for the keys alone, which commands read. @throws {StartError} */
export function refuseUnusableKeys(dataDir: string): void {
	const top = topOf(dataDir);
	refuseUnusable(dataDir, 0, top);
	refuseUnusable(join(dataDir, "keys"), parts.keys, top);
}

/** Does the same for a store, which may be outside of the data folder. @throws {StartError} */
export function refuseUnusableStore(folder: string): void {
	refuseUnusable(folder, 1, { name: `the store in "${folder}"`, folder });
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

/** Everything can be used by root, and what root makes the owner of the folder cannot use. */
function refuseRoot(dataDir: string): void {
	const found = statSync(dataDir, { throwIfNoEntry: false });
	if (process.geteuid?.() !== 0 || found === undefined || found.uid === 0) return;
	throw new StartError(
		`Cannot use the data folder "${dataDir}" as root: it belongs to ${nameOf(found)}, who could not use the files that root makes. ` +
			`Run this as that user; to let root have the platform, chown -R root "${dataDir}"`,
	);
}

/** Returns sentences about keys that every user of the machine can read. */
export function exposedKeys(dataDir: string): string[] {
	const folder = join(dataDir, "keys");
	const files = entriesOf(folder).map((name) => join(folder, name));
	return files
		.filter((file) => ((statOf(file)?.mode ?? 0) & 0o007) !== 0)
		.map((file) => `Every user of this machine can read "${file}", which is secret: chmod 600 "${file}"`);
}

/** The checked folder, and its name in sentences. */
interface Top {
	readonly name: string;
	readonly folder: string;
}

function topOf(dataDir: string): Top {
	return { name: `the data folder "${dataDir}"`, folder: dataDir };
}

function refuseUnusable(path: string, depth: number, top: Top): void {
	const found = statOf(path);
	if (!found || !isLookedAt(path, found)) return;
	const rights = constants.R_OK | constants.W_OK | (found.isDirectory() ? constants.X_OK : 0);
	try {
		accessSync(path, rights);
	} catch (cause) {
		// Another process of the platform that starts now may have renamed its temporary file meanwhile.
		if (codeOf(cause) === "ENOENT") return;
		const message = `Cannot use ${top.name}: this user (${ownName()}) may not read and write "${path}", which belongs to ${nameOf(found)}. `;
		throw new StartError(message + (remedyByCode(cause, path) ?? remedyOf(found, path, top.folder)), { cause });
	}
	if (depth === 0 || !found.isDirectory()) return;
	for (const name of entriesOf(path)) refuseUnusable(join(path, name), depth - 1, top);
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

/** Returns the remedy where it is not the rights that refuse. */
function remedyByCode(cause: unknown, path: string): string | undefined {
	const code = codeOf(cause);
	if (code === "EROFS") return "Its file system is mounted read-only: mount it for writing, or choose another folder";
	return code === "EPERM" ? `The file system keeps it as it is: chattr -i "${path}"` : undefined;
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && "code" in error ? error.code : undefined;
}

function remedyOf(found: Stats, path: string, folder: string): string {
	const user = process.geteuid?.() ?? ownName();
	if (isOwn(found)) return `Give the user its rights back: chmod -R u+rwX "${path}"`;
	// The name of the user in a container is that of somebody else, or of nobody, outside.
	return `Give the folder back: chown -R ${user} "${folder}"; or run this as the user to whom the folder belongs`;
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
