/** Provides an empty folder for each test of a suite. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns a function that returns the folder of the running test; its path contains no links. */
export function useFolder(): () => string {
	let folder = "";
	beforeEach(() => (folder = mkdtempSync(join(realpathSync(tmpdir()), "atelier-folder-"))));
	afterEach(() => rmSync(folder, { recursive: true, force: true }));
	return () => folder;
}
