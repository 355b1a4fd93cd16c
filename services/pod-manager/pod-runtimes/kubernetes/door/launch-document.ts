/** Makes the launch document of a session in a cluster: its places are those inside of its pod. Pure. */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import type { PodSpec } from "../../../pod-runtime.ts";
import { agentPort, inside } from "../objects/pod-manifest.ts";

/** Where a pod finds the platform. */
export interface ClusterPlaces {
	/** The URL of the door for status reports. */
	readonly doorUrl: string;
	/** The origin of the platform's API as pods reach it; absent: that of the platform's configuration. */
	readonly platformOrigin?: string | undefined;
}

/** The folder of the image that has the coding agents beside the built-in one (Dockerfile, target `session-agents`). */
const agents = "/opt/agents";

/** The pod itself has the limits of `resource_config`. */
export function launchDocument(whole: PodSpec, { doorUrl, platformOrigin }: ClusterPlaces): LaunchDocument {
	const { workspace_id: _volume, owner: _person, resource_config: _limits, ...spec } = whole;
	const { origin, pathname } = new URL(spec.platform_url);
	return {
		...spec,
		platform_url: `${platformOrigin ?? origin}${pathname}`,
		door_url: doorUrl,
		listen_port: agentPort,
		// Nobody else can start processes in the pod, so there is nothing to prove.
		proof: spec.installation,
		status_file: `${inside.home}/status.json`,
		termination_file: inside.termination,
		workspace: inside.workspace,
		state: `${inside.state}/${spec.session_id}`,
		volume: inside.volume,
		home: inside.home,
		git_home: "",
		secrets_folder: `${inside.secrets}/session`,
		temporary_folder: inside.temporary,
		agents,
	};
}
