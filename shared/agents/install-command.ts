/** The command that installs a coding agent where a platform looks for it. Pure. */
import { join } from "node:path";
import { projectRoot } from "../project-root.ts";

/** @param dataDir Of the platform, absolute; default the one of a platform that was not told where. */
export function installCommand(id: string, dataDir = ordinaryDataDir): string {
	const elsewhere = dataDir === ordinaryDataDir ? "" : `DATA_DIR=${shellWord(dataDir)} `;
	return `${elsewhere}npm run agents -- install ${id}`;
}

const ordinaryDataDir = join(projectRoot, "data");

function shellWord(text: string): string {
	return /^[\w/.,:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
