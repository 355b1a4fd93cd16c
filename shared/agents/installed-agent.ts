/** An agent's installation: a folder of `agents/` in the data folder, whole as soon as it has its name. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Stands in the folder of every installation. */
export interface Installed {
	package: string;
	version: string;
	/** Checksum of the lock file it was made from. */
	lock: string;
	size_mb: number;
}

export const installedFile = "installed.json";

/** Undefined when there is none. @param folder Of the agent. */
export function readInstalled(folder: string): Installed | undefined {
	try {
		return JSON.parse(readFileSync(join(folder, installedFile), "utf8")) as Installed;
	} catch {
		return undefined;
	}
}
