/** Measures the size of a folder on disk, in bounded steps that do not delay other work. */
import { lstat } from "node:fs/promises";
import { sleep } from "#shared/base/clock.ts";
import { entriesOf, type FolderEntry } from "./folder-entries.ts";

/** The unit of counted blocks in bytes, whatever the block size of the disk. */
const blockBytes = 512;
/** The most entries that are counted; the size of a larger folder is at least the result. */
const maxEntries = 2_000_000;
/** The most folders that wait to be read; deeper or wider ones are left out. */
const maxWaiting = 100_000;
/** The count of entries between two pauses. */
const stepEntries = 2_000;
const pauseMs = 5;

/**
 * Returns the bytes that a folder occupies, in blocks of the disk as `du` counts them. Links are counted and not
 * followed; what disappears meanwhile counts nothing. One operation at a time is under way.
 * @throws {Error} when the signal aborts.
 */
export async function folderBytes(folder: string, signal: AbortSignal): Promise<number> {
	const waiting: (string | Buffer)[] = [folder];
	let blocks = 0;
	let entries = 0;
	for (let path = waiting.pop(); path !== undefined && entries < maxEntries; path = waiting.pop()) {
		for await (const { path: inner } of readable(path)) {
			signal.throwIfAborted();
			const found = await lstat(inner).catch(() => undefined);
			blocks += found?.blocks ?? 0;
			if (found?.isDirectory() && waiting.length < maxWaiting) waiting.push(inner);
			if (++entries % stepEntries === 0) await sleep(pauseMs, signal);
		}
	}
	return blocks * blockBytes;
}

/** A folder that cannot be read, or not any further, has no more entries. */
async function* readable(path: string | Buffer): AsyncGenerator<FolderEntry> {
	try {
		yield* entriesOf(path);
	} catch {
		// Its size is at least what was counted.
	}
}
