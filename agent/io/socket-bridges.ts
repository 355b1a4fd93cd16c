/**
 * Ports of loopback that lead to Unix sockets: most programs know no others. They exist in pods that have no network.
 */
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { bound } from "#shared/base/bounds.ts";
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import { type DoorWay, doorWays } from "#shared/wire/pod/door/door-sockets.ts";
import { linkStreams } from "#shared/net/linked-streams.ts";
import { listen } from "#shared/net/sockets/listen.ts";

/**
 * Opens the ports at which the programs of a pod find the platform and the way out. They end with the process.
 * @param door The folder of the platform's sockets; undefined in a pod that has a network.
 */
export async function openWays(door: string | undefined): Promise<void> {
	if (door === undefined) return;
	await openWay(door, doorWays.platform, bound.podConnections);
	await openWay(door, doorWays.egress, bound.egressClients);
}

async function openWay(door: string, { socket, port }: DoorWay, most: number): Promise<void> {
	const path = join(door, socket);
	const server = createServer({ allowHalfOpen: true }, (client) =>
		linkStreams(client, connect({ path, allowHalfOpen: true })),
	);
	server.maxConnections = most;
	await listen(server, { port, host: loopbackHost });
}
