/**
 * Creates a folder and its missing parents, for this user only. Node's own recursive variant loops for ever where the
 * system answers "no such folder" when a folder is created, as below `/proc`.
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Creates the folder unless it exists. @throws {Error} when it cannot be created. */
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
