/** Finds out whether the file of the embedded store was lost, so that no platform begins anew beside the files of its sessions. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { storeFile } from "#shared/store/embedded/embedded-database.ts";

/** The folders of sessions that are looked at; one is enough. */
const used = ["sessions", "credentials"];

/** Returns a sentence when the data folder was used and has no store; undefined when there is a store, or nothing at all. */
export function lostStore(dataDir: string, storeFolder: string): string | undefined {
	const file = storeFile(storeFolder);
	const size = sizeOf(file);
	if (size !== undefined && size > 0) return undefined;
	const rest = usedFolder(dataDir);
	if (rest === undefined) return undefined;
	return (
		`Cannot start: the store "${file}" ${size === undefined ? "is missing" : "is empty"}, and "${rest}" has files of before. ` +
		`Put the store back, or restore a backup (docs/backup.md, "A damaged store"); to begin anew, move "${dataDir}" aside`
	);
}

/** Returns the folder of a data folder that has files of sessions or of people; undefined when none has. */
export function usedFolder(dataDir: string): string | undefined {
	return used.map((name) => join(dataDir, name)).find((folder) => entriesOf(folder) > 0);
}

function sizeOf(file: string): number | undefined {
	return statSync(file, { throwIfNoEntry: false })?.size;
}

/** Folders of the platform itself begin with a dot: a pod manager may make them before another process makes the store. */
function entriesOf(folder: string): number {
	const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
	return isThere ? readdirSync(folder).filter((name) => !name.startsWith(".")).length : 0;
}
