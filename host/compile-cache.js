/** The place in the data folder where Node keeps the stripped and compiled modules of the platform. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * Enables the compile cache. Session agents have another place, because V8 compiles again what was compiled with other flags, and
 * a start has a flag of its own (`young-generation.ts`).
 * @param {string} dataDir
 * @returns {void}
 */
export function enablePlatformCache(dataDir) {
	enableCompileCache(join(dataDir, "cache/platform"));
}
