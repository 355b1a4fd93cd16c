/** Programs that some tests need, as `npm run servers -- get <name>` installs them or the machine has them. */
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Where `npm run servers` installs. */
const installed =
	process.env["SERVERS_DIR"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "atelier-servers");

/** Its path; undefined where there is none. */
export function findProgram(name: string): string | undefined {
	const folders = [join(installed, "bin"), ...(process.env["PATH"] ?? "").split(delimiter)];
	return folders.map((folder) => join(folder, name)).find((path) => isExecutable(path));
}

/** @throws {Error} where there is none; nothing is skipped in silence. */
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
