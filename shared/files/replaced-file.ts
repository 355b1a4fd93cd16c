/**
 * Writes a file whole or not at all, in the place of whatever has its name. A link or a pipe there is not written to: the
 * file is made under a name of its own and moved. On a full disk the former file stays, and nothing is left beside it.
 */
import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";

/** A new file, for us alone: `O_EXCL` follows no link. */
const newFile = "wx";
const ownerOnly = 0o600;

/** Resolves when it is on disk. */
export function replaceFile(path: string, content: string): Promise<void> {
	return replaceWith(path, async (file) => {
		await file.writeFile(content);
		await file.sync();
	});
}

/** @param write Writes the content; it is not waited for the disk. */
export async function replaceWith(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
	const draft = draftOf(path);
	const file = await open(draft, newFile, ownerOnly);
	try {
		try {
			await write(file);
		} finally {
			await file.close();
		}
		await rename(draft, path);
	} catch (error) {
		await rm(draft, { force: true });
		throw error;
	}
}

/** For what is of no use after the machine has ended: it is not waited for the disk. */
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
