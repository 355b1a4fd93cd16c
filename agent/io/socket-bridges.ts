/**
 * Ports of loopback that lead to Unix sockets: most programs know no others. They exist in pods that have no network.
 */
import { connect, createServer, type Server } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { bound } from "#shared/base/bounds.ts";
import { linkStreams } from "#shared/net/linked-streams.ts";

/** The ports at which the programs of a pod find the platform and the way out. They end with the process. */
const wayPorts = { platform: 8080, egress: 3128 } as const;

/** @param door The folder of the platform's sockets; undefined in a pod that has a network. */
export async function openWays(door: string | undefined): Promise<void> {
	if (door === undefined) return;
	await bridgeTo(join(door, "api.sock"), wayPorts.platform, bound.podConnections);
	await bridgeTo(join(door, "egress.sock"), wayPorts.egress, bound.egressClients);
}

/** Opens a port of loopback whose connections lead to a Unix socket. The owner closes the server. */
async function bridgeTo(socketPath: string, port: number, most: number): Promise<Server> {
	const server = createServer({ allowHalfOpen: true }, (client) =>
		linkStreams(client, connect({ path: socketPath, allowHalfOpen: true })),
	);
	server.maxConnections = most;
	server.listen(port, "127.0.0.1");
	await once(server, "listening");
	return server;
}
