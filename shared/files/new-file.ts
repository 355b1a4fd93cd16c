/** Creates a file whole or not at all, and never overwrites one: the first of several writers wins. */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, unlinkSync, writeFileSync } from "node:fs";

/** Returns whether this call made the file. */
export function writeNewFile(path: string, content: string, mode: number): boolean {
	const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
	const file = openSync(draft, "wx", mode);
	try {
		writeWhole(file, content);
		linkSync(draft, path);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	} finally {
		unlinkSync(draft);
	}
}

/** Writes, syncs and closes. */
function writeWhole(file: number, content: string): void {
	try {
		// Unlike one write, which may take a part only where the disk is nearly full.
		writeFileSync(file, content);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}
