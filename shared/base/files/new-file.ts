/** Creates a file completely or not at all and never overwrites one: the first of several writers wins. */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, unlinkSync, writeFileSync } from "node:fs";

/** Returns whether this call created the file; false when it existed already. */
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

function writeWhole(file: number, content: string): void {
	try {
		// One call of `write` may write only a part when the disk is nearly full; this one repeats it.
		writeFileSync(file, content);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}
