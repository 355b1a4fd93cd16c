/**
 * Walks over files of sessions. Their names are any bytes and need not be UTF-8, so a name that is read as text may be that of
 * no file. Paths are therefore bytes here, and no other module of this folder but count-files.ts lists what sessions have made
 * (oxlint.config.ts).
 */
import type { Dirent } from "node:fs";
import { chmod, lstat, opendir, rmdir, unlink } from "node:fs/promises";

/** Keeps each byte of a name as one character. */
const bytewise = "latin1";
const separator = Buffer.from("/");

/** A file, link or folder whose name may be no UTF-8. */
export interface FolderEntry {
	readonly path: Buffer;
	/** The name with one character for each byte; only for comparisons with names in ASCII. */
	readonly name: string;
	readonly isDirectory: boolean;
}

/** Returns the path of an entry. @param name The bytes of its name. */
export function pathIn(folder: string | Buffer, name: string | Buffer): Buffer {
	return Buffer.concat([Buffer.from(folder), separator, Buffer.from(name)]);
}

/**
 * Lists a folder piece by piece; a link is not followed. @throws {Error} when it cannot be read; a missing one has no
 * entries.
 */
export async function* entriesOf(folder: string | Buffer): AsyncGenerator<FolderEntry> {
	const found = await lstat(folder).catch(unlessMissing);
	if (!found?.isDirectory()) return;
	const opened = await opendir(folder, { encoding: bytewise }).catch(unlessMissing);
	if (opened) for await (const entry of opened) yield entryIn(folder, entry);
}

/** Returns the names of a folder, one character for each byte. @throws {Error} */
export async function namesIn(folder: string | Buffer): Promise<string[]> {
	const names: string[] = [];
	for await (const { name } of entriesOf(folder)) names.push(name);
	return names;
}

/** Removes a file, or a folder with all that is in it. @throws {Error} when something remains, e.g. in too deep folders. */
export async function removeWhole(path: string | Buffer): Promise<void> {
	const found = await lstat(path).catch(unlessMissing);
	if (!found) return;
	if (!found.isDirectory()) return unlink(path).catch(unlessMissing);
	await makeWritable(path);
	let failure: unknown;
	for await (const entry of entriesOf(path))
		await removeWhole(entry.path).catch((error: unknown) => (failure ??= error));
	if (failure !== undefined) throw failure;
	await rmdir(path).catch(unlessMissing);
}

/** Lets the owner of a folder change it, which its move to another folder needs too. A link is not followed. */
export async function makeWritable(folder: string | Buffer): Promise<void> {
	const found = await lstat(folder).catch(unlessMissing);
	if (found?.isDirectory() && (found.mode & 0o700) !== 0o700) await chmod(folder, 0o700);
}

/** Resolves to undefined for the failure that a path does not exist. @throws every other one. */
export function unlessMissing(error: unknown): undefined {
	if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

function entryIn(folder: string | Buffer, entry: Dirent): FolderEntry {
	const path = pathIn(folder, Buffer.from(entry.name, bytewise));
	return { path, name: entry.name, isDirectory: entry.isDirectory() };
}
