/** The Unix sockets of a pod without a network, and the ports of its loopback that lead to the platform's. */
import { loopbackHost } from "../agent-url.ts";

/** The names of the platform's sockets in the folder `door` of the launch document. */
export const doorSockets = {
	/** It has the paths of door-paths.ts, and passes on requests to the platform's API. */
	platform: "api.sock",
	/** It is an HTTP proxy. */
	egress: "egress.sock",
	/**
	 * It is there in a pod that was started ahead of its session. The agent connects and sends a byte when it is loaded; when the
	 * connection ends, there is a launch at the platform's socket, or no platform any more.
	 */
	waiting: "waiting.sock",
} as const;

/** The name of the agent's socket in the folder that its pod can write. */
export const agentSocket = "agent.sock";

/**
 * The ports at which the agent offers these sockets to programs that know no others. A session cannot have servers of its own
 * there, so they are ports that no usual program takes.
 */
const doorPorts = { platform: 7456, egress: 7457 } as const;

/** A way from a port of the pod's loopback to a socket of the platform. */
export interface DoorWay {
	readonly port: number;
	readonly socket: string;
	/** The port as an address. */
	readonly url: string;
}

function way(name: keyof typeof doorPorts): DoorWay {
	return { port: doorPorts[name], socket: doorSockets[name], url: `http://${loopbackHost}:${doorPorts[name]}` };
}

export const doorWays = { platform: way("platform"), egress: way("egress") } as const;
