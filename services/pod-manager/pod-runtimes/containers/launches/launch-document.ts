/** Makes the launch document of a session in a container: its places are those inside. Pure. */
import { type ModelAccess, modelWires } from "#shared/wire/models/model-wire.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { agentSocket, doorWays } from "#shared/wire/pod/door/door-sockets.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import type { PodSpec } from "../../../pod-runtime.ts";
import { inside } from "../container-request.ts";

/** The folder of the image that has the coding agents beside the built-in one (Dockerfile, target `session-agents`). */
const agents = "/opt/agents";

/**
 * The container itself has the limits of `resource_config`. @param listenHost The host at which the platform's processes reach the
 * bridge to the agent, which they name in their requests.
 */
export function launchDocument(whole: PodSpec, listenHost: string): LaunchDocument {
	const { workspace_id: _folder, owner: _person, resource_config: _limits, ...spec } = whole;
	const { pathname } = new URL(spec.platform_url);
	// Programs that know no Unix sockets find the platform there, by the agent's own process.
	const platform = doorWays.platform.url;
	return {
		...spec,
		...(spec.model_access && { model_access: relayed(spec.model_access, platform) }),
		platform_url: `${platform}${pathname}`,
		door: inside.platform,
		listen_host: listenHost,
		listen_socket: `${inside.agent}/${agentSocket}`,
		// Nobody else can start processes in the container, so there is nothing to prove.
		proof: spec.installation,
		status_file: `${inside.home}/status.json`,
		workspace: `${inside.workspace}/workspace`,
		state: inside.state,
		home: inside.home,
		git_home: "",
		temporary_folder: inside.temporary,
		agents,
	};
}

/** Returns the access by which the agent reaches its model: the door adds the key (../door-model.ts). */
function relayed(access: ModelAccess, platform: string): ModelAccess {
	const wires = modelWires.filter((wire) => access.endpoints[wire] !== undefined);
	const endpoints = Object.fromEntries(wires.map((wire) => [wire, `${platform}${doorPaths.model}/${wire}`]));
	return { ...access, endpoints, key: "" };
}
