/** Tells what changes in a folder while it is read: entries may get other names in the middle of a list. Linux only. */
import { fstatSync, type Stats } from "node:fs";
import { now } from "#shared/base/clock.ts";

/** A folder that changed less than this before a list may change in it without another time of change, in milliseconds. */
const clockTickMs = 20;
/** The times that the count of links of a folder is read, of which the largest is taken. */
const linkReads = 3;

/** Tells a folder from others, whatever its name is; the number alone may be that of one that was removed. */
export function identityOf({ ino, birthtimeMs }: Pick<Stats, "ino" | "birthtimeMs">): string {
	return `${ino}:${birthtimeMs}`;
}

/** Watches the names in an open folder. The result tells whether they are the same as at the call, as far as that is certain. */
export function changesOf(fd: number): () => boolean {
	const { ctimeMs } = fstatSync(fd);
	const isQuiet = now() - ctimeMs > clockTickMs;
	return () => isQuiet && fstatSync(fd).ctimeMs === ctimeMs;
}

/**
 * Returns how many folders are in an open one; undefined where the file system does not count them, or not any more: ext4 stops at
 * 65,000, and for ever. It counts one too few for a moment while a folder in it is renamed, so the count is read several times.
 */
export function foldersIn(fd: number): number | undefined {
	let most = 0;
	for (let read = 0; read < linkReads; read++) most = Math.max(most, fstatSync(fd).nlink);
	// Its own name, its entry ".", and the entry ".." of each of them.
	return most < 2 ? undefined : most - 2;
}
