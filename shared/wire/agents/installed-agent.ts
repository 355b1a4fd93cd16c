/**
 * An agent's installation: a folder below `agents/` in the data folder. It is complete as soon as it has its final
 * name.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The file that every installation has in its folder. */
export interface Installed {
	package: string;
	version: string;
	/** Checksum of the lock file it was made from. */
	lock: string;
	size_mb: number;
}

export const installedFile = "installed.json";

/** Reads the file; undefined when there is none. @param folder The folder of the agent. */
export function readInstalled(folder: string): Installed | undefined {
	try {
		return JSON.parse(readFileSync(join(folder, installedFile), "utf8")) as Installed;
	} catch {
		return undefined;
	}
}
