/** Makes the settings of a launch from the merged levels of a session (levels/merged-order.ts). Pure. */
import { UnprocessableError } from "#shared/errors.ts";
import type { SessionCreate } from "#shared/contracts/session-resource.ts";
import type { Template } from "#shared/contracts/templates.ts";
import type { LaunchSettings, Repository } from "#shared/pod/launch.ts";
import { chosenAgent } from "./chosen-agent.ts";
import type { LaunchLevel } from "./levels/launch-level.ts";
import { permissionMode } from "./permission-mode.ts";
import { checkRepository, type GitSource, refuseBadRef } from "./session-source.ts";
import { launchMcpServers } from "./launch-mcp-servers.ts";

/** The bound of a launch in bytes of JSON: it is one message of the bus, with room for the envelope. */
const maxLaunchBytes = 768 * 1024;

/**
 * Returns the settings. @param level The merged levels.
 * @throws {UnprocessableError} when a level names something that does not exist or cannot be used.
 */
export function launchSettings(
	request: Pick<SessionCreate, "name">,
	source: GitSource,
	level: LaunchLevel,
	protocols: readonly string[],
): LaunchSettings {
	const { repos = [], setup_scripts = [], working_folder = "" } = level;
	const launch = {
		name: request.name,
		repositories: [ownRepository(source), ...furtherRepositories(repos, protocols)],
		setup_scripts: [...setup_scripts],
		working_folder,
		...runtimeSettings(level),
		git_protocols: [...protocols],
	};
	refuseLargeLaunch(launch);
	return launch;
}

/** Returns the settings that a profile may have. @throws {UnprocessableError} as {@link launchSettings} does. */
export function runtimeSettings(level: LaunchLevel) {
	const { model = "", system_prompt = "", initial_prompt = "", env_vars = {} } = level;
	return {
		model,
		system_prompt,
		initial_prompt,
		env: { ...env_vars },
		agent: chosenAgent(level.agent),
		mcp_servers: launchMcpServers(level.mcp_servers),
		permission_mode: permissionMode(level.permission_mode),
	} satisfies Partial<LaunchSettings>;
}

/** Refuses settings that are together too large for a message of the bus. @throws {UnprocessableError} */
export function refuseLargeLaunch(launch: LaunchSettings): void {
	const bytes = Buffer.byteLength(JSON.stringify(launch));
	if (bytes <= maxLaunchBytes) return;
	const words = "Request, preset, profile and template together are too large";
	throw new UnprocessableError(`${words}: ${bytes} bytes, at most ${maxLaunchBytes}`, "LAUNCH_TOO_LARGE");
}

function ownRepository({ repo, branch, base_branch }: GitSource): Repository {
	return { url: repo, branch, base_branch, path: "" };
}

/**
 * Returns the repositories behind a template's first one, which is the workspace itself; the others are folders in it.
 */
function furtherRepositories(repos: Template["repos"], protocols: readonly string[]): Repository[] {
	return repos.slice(1).map(({ url, branch, path }) => {
		if (branch !== "") refuseBadRef(branch);
		return { url: checkRepository(url, protocols), branch: branch || "main", base_branch: "", path };
	});
}
