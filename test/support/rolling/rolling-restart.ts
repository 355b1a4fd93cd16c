/** Replaces the processes of a cluster one after the other while people work, as an upgrade does. */
import { openApiToken } from "#shared/secrets/api-token.ts";
import { ApiClient } from "../clients/api-client.ts";
import type { ClusterMember } from "../cluster/cluster-member.ts";
import type { Cluster } from "../cluster/start-cluster.ts";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { Haproxy } from "./haproxy.ts";

/** A cluster behind haproxy. */
export interface Rolled {
	readonly cluster: Cluster;
	readonly haproxy: Haproxy;
}

/** The kinds of processes. */
export type Kind = Parameters<Cluster["membersOf"]>[0];

/** Starts haproxy in front of the gateways. @param change Changes our settings, for a control. */
export function proxyBefore(cluster: Cluster, change?: (settings: string) => string): Promise<Haproxy> {
	const ports = cluster.membersOf("gateway").map(({ url }) => Number(new URL(url).port));
	return Haproxy.start(ports, change);
}

/** Returns a client of the cluster's user behind haproxy. */
export function clientBehind(haproxy: Haproxy, cluster: Cluster): ApiClient {
	const authorization = `Bearer ${openApiToken(cluster.platform.dataDir)}`;
	return new ApiClient(`${haproxy.url}/api/v1/svc`, { authorization });
}

/**
 * Replaces every process of these kinds. The old one ends in order, then the new one starts, and the next one is replaced
 * when the new one says that it is ready and haproxy has noticed. @param root The source tree of the new ones.
 */
export async function roll({ cluster, haproxy }: Rolled, kinds: readonly Kind[], root?: string): Promise<void> {
	for (const member of kinds.flatMap((kind) => cluster.membersOf(kind))) {
		await member.stop();
		await startSeen(member, root);
		await haproxy.seesAll();
	}
}

/** Starts a process; resolves when it says itself that it is ready. */
async function startSeen(member: ClusterMember, root?: string): Promise<void> {
	const port = await freePort();
	await member.start({ OPS__PORT: String(port) }, root);
	const isReady = async () => (await fetch(`http://127.0.0.1:${port}/ready`)).status === 200;
	await eventually(isReady, { withinMs: 60_000, what: `${member.name} is ready` });
}
