/** Finds out whether the installation key was lost, so that no platform makes another one beside what the key has sealed. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { storeFile } from "#shared/store/embedded/embedded-database.ts";
import { usedFolder } from "./lost-store.ts";

/** Returns a sentence when the data folder was used and has no key; undefined otherwise. @param configured The key of the configuration. */
export function lostKey(dataDir: string, configured: string): string | undefined {
	const file = join(dataDir, "keys", "installation");
	if (configured !== "" || existsSync(file)) return undefined;
	const store = storeFile(join(dataDir, "store"));
	const rest = (statSync(store, { throwIfNoEntry: false })?.size ?? 0) > 0 ? store : usedFolder(dataDir);
	if (rest === undefined) return undefined;
	return (
		`Cannot start: the installation key "${file}" is missing, and "${rest}" is of before. Put the key back, or restore a backup with it ` +
		`(docs/backup.md, "The installation key"); to begin anew, move "${dataDir}" aside`
	);
}
