/**
 * Makes a folder, and those above it that are missing, for this user only. Node's own recursive way asks again for ever
 * where the system answers "no such folder" to making one, as below `/proc`.
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Nothing happens when it is there. @throws {Error} when it cannot be made. */
export function makeFolder(path: string): void {
	const above = dirname(path);
	if (!existsSync(above)) makeFolder(above);
	try {
		mkdirSync(path, { mode: 0o700 });
	} catch (error) {
		if (!isFolder(path)) throw error;
	}
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
