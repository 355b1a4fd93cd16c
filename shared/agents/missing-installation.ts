/** Whether a coding agent that is installed on request is there. */
import { join } from "node:path";
import type { WrittenAgent } from "./agent-fields.ts";
import { installCommand } from "./install-command.ts";
import { readInstalled } from "./installed-agent.ts";

/**
 * A sentence with the command that installs it; undefined when it is there, or comes with the platform. Half an installation
 * is none, and one of another version may want to be started otherwise.
 * @param places.agents Folder of the installed agents; undefined: there are none.
 * @param places.dataDir Named in the command; undefined: it is nobody's to know.
 */
export function missingInstallation(
	{ id, install }: WrittenAgent,
	{ agents = "", dataDir }: { readonly agents: string | undefined; readonly dataDir: string | undefined },
): string | undefined {
	if (!install) return undefined;
	const installed = readInstalled(join(agents, id));
	if (installed?.version === install.version) return undefined;
	const state = installed ? `is installed in version ${installed.version}, not ${install.version}` : "is not installed";
	return `The coding agent "${id}" ${state}; install it with: ${installCommand(id, dataDir)}`;
}
