/** Whether a coding agent that is installed on request is there. */
import { dirname, join } from "node:path";
import type { WrittenAgent } from "./agent-fields.ts";
import { installCommand } from "./install-command.ts";
import { readInstalled } from "./installed-agent.ts";

/**
 * A sentence with the command that installs it; undefined when it is there, or comes with the platform. Half an installation
 * is none, and one of another version may want to be started otherwise.
 * @param agents Folder of the installed agents; absent: there are none.
 */
export function missingInstallation({ id, install }: WrittenAgent, agents?: string): string | undefined {
	if (!install) return undefined;
	const installed = readInstalled(join(agents ?? "", id));
	if (installed?.version === install.version) return undefined;
	const state = installed ? `is installed in version ${installed.version}, not ${install.version}` : "is not installed";
	const command = installCommand(id, agents === undefined ? undefined : dirname(agents));
	return `The coding agent "${id}" ${state}; install it with: ${command}`;
}
