/** Finds programs that some tests need, installed by `npm run servers -- get <name>` or by the machine. */
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** The folder into which `npm run servers` installs. */
export const installedPrograms =
	process.env["SERVERS_DIR"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "atelier-servers");

/** Returns the path of a program; undefined when there is none. */
export function findProgram(name: string): string | undefined {
	const folders = [join(installedPrograms, "bin"), ...(process.env["PATH"] ?? "").split(delimiter)];
	return folders.map((folder) => join(folder, name)).find((path) => isExecutable(path));
}

/** Returns the path of a program. @throws {Error} when there is none, so that no test is skipped silently. */
export function testProgram(name: string): string {
	const path = findProgram(name);
	if (path === undefined) throw new Error(`${name} is not on this machine: npm run servers -- get ${name}`);
	return path;
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
