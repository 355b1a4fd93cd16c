/** Makes the settings of a launch from the merged levels of a session (launch-levels/merged-request.ts). Pure. */
import { bound } from "#shared/base/bounds.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import type { LocalSource } from "../workspace-sources/local-sources.ts";
import { sessionRepositories } from "../workspace-sources/session-repositories.ts";
import { chosenAgent } from "./chosen-agent.ts";
import type { LaunchLevel } from "./launch-levels/launch-level.ts";
import { permissionMode } from "./permission-mode.ts";
import type { GitSource } from "../workspace-sources/session-source.ts";
import { launchMcpServers } from "./launch-mcp-servers.ts";

/** The circumstances of a launch that its levels do not say. */
interface LaunchContext {
	readonly protocols: readonly string[];
	/** Those of the named credentials that are the tenant's; default none. */
	readonly tenantCredentials?: readonly string[] | undefined;
}

/**
 * Returns the settings. @param level The merged levels.
 * @throws {UnprocessableError} when a level names something that does not exist or cannot be used.
 */
export function launchSettings(
	{ name, credential_names = [], integration_ids = [] }: Pick<SessionCreate, "name"> & Partial<SessionCreate>,
	source: GitSource | LocalSource,
	level: LaunchLevel,
	{ protocols, tenantCredentials = [] }: LaunchContext,
): LaunchSettings {
	const { repos = [], setup_scripts = [], working_folder = "" } = level;
	const launch = {
		name,
		repositories: source.type === "git" ? sessionRepositories(source, repos, protocols) : [],
		setup_scripts: [...setup_scripts],
		working_folder,
		...runtimeSettings(level),
		git_protocols: [...protocols],
		...(credential_names.length > 0 && {
			credential_names: [...new Set(credential_names)],
			tenant_credentials: [...tenantCredentials],
		}),
		...(integration_ids.length > 0 && { integration_ids: [...new Set(integration_ids)] }),
	};
	refuseLargeLaunch(launch);
	return launch;
}

/** Returns the settings that a profile may have. @throws {UnprocessableError} as {@link launchSettings} does. */
export function runtimeSettings(level: LaunchLevel) {
	const { model = "", system_prompt = "", initial_prompt = "", env_vars = {}, resource_config = {} } = level;
	return {
		model,
		system_prompt,
		initial_prompt,
		env: { ...env_vars },
		agent: chosenAgent(level.agent),
		mcp_servers: launchMcpServers(level.mcp_servers),
		permission_mode: permissionMode(level.permission_mode),
		resource_config: { ...resource_config },
		terminal_restricted: level.terminal_restricted ?? false,
		...(level.egress && { egress: level.egress }),
		...(level.image !== undefined && { image: level.image }),
		...(level.placement !== undefined && { placement: level.placement }),
	} satisfies Partial<LaunchSettings>;
}

/** Refuses settings that are together too large for a message of the bus. @throws {UnprocessableError} */
export function refuseLargeLaunch(launch: LaunchSettings): void {
	const bytes = Buffer.byteLength(JSON.stringify(launch));
	if (bytes <= bound.launchBytes) return;
	const words = "Request, preset, profile and template together are too large";
	throw new UnprocessableError(`${words}: ${bytes} bytes, at most ${bound.launchBytes}`, "LAUNCH_TOO_LARGE");
}
