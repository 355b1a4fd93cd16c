/** How much a folder takes on disk. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** A block that is counted has 512 bytes, whatever the disk's own have. */
const blocksPerMegabyte = 2_048;

/** Whole megabytes (1,048,576 bytes), rounded up, in blocks of the disk as `du` counts them; links count as links. */
export async function folderMegabytes(folder: string): Promise<number> {
	return Math.ceil((await blocksOf(folder)) / blocksPerMegabyte);
}

async function blocksOf(folder: string): Promise<number> {
	let { blocks } = await lstat(folder);
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		blocks += entry.isDirectory() ? await blocksOf(path) : (await lstat(path)).blocks;
	}
	return blocks;
}
