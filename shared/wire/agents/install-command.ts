/** Makes the command that installs a coding agent in the folder where a platform looks for it. */
import { environment } from "#shared/config/environment.ts";
import { defaultDataFolder } from "#shared/base/files/default-data-folder.js";

/**
 * Returns the command. @param dataDir The platform's data folder, absolute; default: that of a platform without
 * configuration.
 */
export function installCommand(id: string, dataDir?: string): string {
	const isOrdinary = dataDir === undefined || dataDir === defaultDataFolder(environment());
	const elsewhere = isOrdinary ? "" : `DATA_DIR=${shellWord(dataDir)} `;
	return `${elsewhere}npm run agents -- install ${id}`;
}

function shellWord(text: string): string {
	return /^[\w/.,:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
