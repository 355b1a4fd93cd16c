/**
 * Replaces a file completely or not at all. A link or a pipe of that name is not followed: the content is written to a
 * temporary file, which is then renamed. On a full disk the former file stays, and no temporary file remains.
 */
import { randomBytes } from "node:crypto";
import { constants, renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** The flags for a new file; `O_EXCL` follows no link. */
const newFile = "wx";
const ownerOnly = 0o600;

/**
 * Replaces the file. When this process dies, the file has the former or the new content; only a crash of the machine
 * may lose both.
 */
export function replaceFile(path: string, content: string): Promise<void> {
	return replaceWith(path, (file) => file.writeFile(content));
}

/** Replaces a file like {@link replaceFile}. @param write Writes the content. */
export async function replaceWith(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
	const file = await replaced(path, newFile, write);
	await file.close();
}

/**
 * Replaces a file like {@link replaceFile}, and resolves when all of it is on disk.
 * @param flags The flags of the returned file, which stays open for further writes; the caller closes it.
 */
export async function replaceOpen(path: string, content: string, flags: number): Promise<FileHandle> {
	const file = await replaced(path, flags | constants.O_CREAT | constants.O_EXCL, async (draft) => {
		await draft.writeFile(content);
		await draft.sync();
	});
	await syncFolder(path);
	return file;
}

/** Resolves when the entries of the file's folder are on disk. */
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

/** Replaces a file like {@link replaceFile}, for callers that must not wait. */
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

/** Creates a file and returns true; returns false and changes nothing when the name is taken by a file of any kind. */
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
