/** An empty folder for each test of a suite. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns a function that tells the folder of the test that runs; its path holds no links. */
export function useFolder(): () => string {
	let folder = "";
	beforeEach(() => (folder = mkdtempSync(join(realpathSync(tmpdir()), "atelier-folder-"))));
	afterEach(() => rmSync(folder, { recursive: true, force: true }));
	return () => folder;
}
