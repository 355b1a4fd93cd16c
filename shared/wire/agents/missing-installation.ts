/** Finds out whether a coding agent that is installed on request is present. */
import { join } from "node:path";
import type { WrittenAgent } from "./agent-fields.ts";
import { installCommand } from "./install-command.ts";
import { readInstalled } from "./installed-agent.ts";

/** Where coding agents are looked for. */
interface AgentPlaces {
	readonly agents: string | undefined;
	readonly dataDir: string | undefined;
	readonly isImage?: boolean;
}

/**
 * Returns a sentence with the command that installs the agent; undefined when it is installed, or comes with the
 * platform. An incomplete installation does not count, and neither does one of another version, which may need another
 * command line.
 * @param places.agents The folder of the installed agents; undefined: there are none.
 * @param places.dataDir The data folder for the command; undefined: the reader must not know it.
 * @param places.isImage Whether the folder is that of an image, in which nobody can install anything later.
 */
export function missingInstallation(
	{ id, install }: WrittenAgent,
	{ agents = "", dataDir, isImage = false }: AgentPlaces,
): string | undefined {
	if (!install) return undefined;
	const installed = readInstalled(join(agents, id));
	if (installed?.version === install.version) return undefined;
	if (isImage) return missingInImage(id, install.version, installed?.version);
	const state = installed ? `is installed in version ${installed.version}, not ${install.version}` : "is not installed";
	return `The coding agent "${id}" ${state}; install it with: ${installCommand(id, dataDir)}`;
}

function missingInImage(id: string, wanted: string, found: string | undefined): string {
	const state = found === undefined ? "lacks" : `has version ${found}, not ${wanted}, of`;
	return `The image of this session ${state} the coding agent "${id}"; docs/session-containers.md says how an image with agents is built`;
}
