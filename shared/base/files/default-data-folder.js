/**
 * Names the folder of all data of an installation that names none. The file is JavaScript, because `host/main.js` needs it
 * before a file with types can be loaded cheaply.
 */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns the folder for the data of the person's programs, as the XDG Base Directory Specification says.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string}
 */
export function defaultDataFolder(env) {
	const { XDG_DATA_HOME = "", HOME = "" } = env;
	// The specification says that a relative path is to be ignored.
	const base = isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(HOME || homedir(), ".local/share");
	return join(base, "atelier");
}
