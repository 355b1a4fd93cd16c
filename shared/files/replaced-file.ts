/**
 * Writes a file whole or not at all, in the place of whatever has its name. A link or a pipe there is not written to: the
 * file is made under a name of its own and moved. On a full disk the former file stays, and nothing is left beside it.
 */
import { randomBytes } from "node:crypto";
import { constants, renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** A new file, for us alone: `O_EXCL` follows no link. */
const newFile = "wx";
const ownerOnly = 0o600;

/** What was there before, or this, is there after any end of this process; only an end of the machine's may leave neither. */
export function replaceFile(path: string, content: string): Promise<void> {
	return replaceWith(path, (file) => file.writeFile(content));
}

/** As {@link replaceFile}. @param write Writes the content. */
export async function replaceWith(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
	const file = await replaced(path, newFile, write);
	await file.close();
}

/**
 * As {@link replaceFile}, and resolves when all of it is on disk.
 * @param flags Of the file that stays open, for whatever is written to it next.
 */
export async function replaceOpen(path: string, content: string, flags: number): Promise<FileHandle> {
	const file = await replaced(path, flags | constants.O_CREAT | constants.O_EXCL, async (draft) => {
		await draft.writeFile(content);
		await draft.sync();
	});
	await syncFolder(path);
	return file;
}

/** What is in the folder of the file is on disk. */
export async function syncFolder(path: string): Promise<void> {
	const folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}

async function replaced(
	path: string,
	flags: string | number,
	write: (file: FileHandle) => Promise<void>,
): Promise<FileHandle> {
	const draft = draftOf(path);
	const file = await open(draft, flags, ownerOnly);
	try {
		await write(file);
		await rename(draft, path);
		return file;
	} catch (error) {
		await file.close();
		await rm(draft, { force: true });
		throw error;
	}
}

/** As {@link replaceFile}, for those who must have written when they return. */
export function replaceFileSync(path: string, content: string): void {
	const draft = draftOf(path);
	try {
		writeFileSync(draft, content, { mode: ownerOnly, flag: newFile });
		renameSync(draft, path);
	} catch (error) {
		rmSync(draft, { force: true });
		throw error;
	}
}

/** Returns whether this call made the file: what is there already, of whatever kind, stays. */
export async function createFile(path: string, content: string): Promise<boolean> {
	const file = await open(path, newFile, ownerOnly).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "EEXIST") throw error;
	});
	if (!file) return false;
	try {
		await file.writeFile(content);
		return true;
	} catch (error) {
		await rm(path, { force: true });
		throw error;
	} finally {
		await file.close();
	}
}

function draftOf(path: string): string {
	return `${path}.${randomBytes(6).toString("hex")}.tmp`;
}
