/** Makes the command that installs a coding agent in the folder where a platform looks for it. Pure. */
import { join } from "node:path";
import { projectRoot } from "../project-root.ts";

/**
 * Returns the command. @param dataDir The platform's data folder, absolute; default: that of a platform without
 * configuration.
 */
export function installCommand(id: string, dataDir = ordinaryDataDir): string {
	const elsewhere = dataDir === ordinaryDataDir ? "" : `DATA_DIR=${shellWord(dataDir)} `;
	return `${elsewhere}npm run agents -- install ${id}`;
}

const ordinaryDataDir = join(projectRoot, "data");

function shellWord(text: string): string {
	return /^[\w/.,:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
