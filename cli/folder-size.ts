/** Measures the size of a folder on disk. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** The unit of counted blocks is 512 bytes, whatever the block size of the disk. */
const blocksPerMegabyte = 2_048;

/** Returns whole megabytes (1,048,576 bytes), rounded up, of disk blocks as `du` counts them; follows no links. */
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
