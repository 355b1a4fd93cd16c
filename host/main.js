/**
 * The program of the platform: enables Node's compile cache, and loads `host/start.ts`. It is JavaScript, because the first
 * file with types that is not in the cache makes Node load its compiler
 * (docs/decisions/0145-what-a-start-leaves-in-memory.md).
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { defaultDataFolder } from "#shared/base/files/default-data-folder.js";
import { enablePlatformCache } from "./compile-cache.js";

/**
 * Tells whether the data folder exists and belongs to this user. Anything else is for `host/platform-process.ts` to judge, which
 * enables the cache where the configuration names another folder than the environment.
 * @param {string} folder
 */
function isOwn(folder) {
	return statSync(folder, { throwIfNoEntry: false })?.uid === process.geteuid?.();
}

const folder = process.env["DATA_DIR"] || defaultDataFolder(process.env);
try {
	if (isOwn(folder)) enablePlatformCache(resolve(folder));
} catch {
	// The start names a folder that cannot be looked at, with the remedy.
}
await import("./start.ts");
