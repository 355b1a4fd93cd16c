/** How much a folder takes on disk. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Whole megabytes (1,048,576 bytes), rounded up; links count as links. */
export async function folderMegabytes(folder: string): Promise<number> {
	return Math.ceil((await bytesOf(folder)) / 1_048_576);
}

async function bytesOf(folder: string): Promise<number> {
	let bytes = 0;
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		bytes += entry.isDirectory() ? await bytesOf(path) : (await lstat(path)).size;
	}
	return bytes;
}
