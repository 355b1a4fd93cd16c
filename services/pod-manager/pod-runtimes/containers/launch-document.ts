/** Makes the launch document of a session in a container: its places are those inside. Pure. */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import type { PodSpec } from "../../pod-runtime.ts";
import { inside } from "./container-request.ts";
import { agentSocket } from "./agent-bridge.ts";

/** The address at which the agent's own process offers the platform to programs that know no Unix sockets. */
const platformPort = 8080;

export function launchDocument({ workspace_id: _folder, ...spec }: PodSpec): LaunchDocument {
	const { pathname } = new URL(spec.platform_url);
	return {
		...spec,
		platform_url: `http://127.0.0.1:${platformPort}${pathname}`,
		door: inside.platform,
		listen_socket: `${inside.agent}/${agentSocket}`,
		// Nobody else can start processes in the container, so there is nothing to prove.
		proof: spec.installation,
		status_file: `${inside.home}/status.json`,
		workspace: `${inside.workspace}/workspace`,
		state: inside.state,
		home: inside.home,
		git_home: "",
		temporary_folder: inside.temporary,
	};
}
