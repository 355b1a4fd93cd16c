/** Measures the room on a disk. */
import { statfs } from "node:fs/promises";

/** Returns the bytes that the platform's user may still write to the disk of this folder. @throws {Error} */
export async function freeBytes(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder);
	return bavail * bsize;
}
