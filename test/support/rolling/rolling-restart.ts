/** Replaces the processes of a cluster one after the other while people work, as an upgrade does. */
import { openApiToken } from "#shared/config/api-token.ts";
import { ApiClient } from "../clients/api-client.ts";
import type { ClusterMember } from "../cluster/cluster-member.ts";
import type { Cluster } from "../cluster/start-cluster.ts";
import { Haproxy, type HaproxyOptions } from "./haproxy.ts";

/** A cluster behind haproxy. */
export interface Rolled {
	readonly cluster: Cluster;
	readonly haproxy: Haproxy;
}

/** The kinds of processes. */
export type Kind = Parameters<Cluster["membersOf"]>[0];

/** Starts haproxy in front of the gateways. */
export function proxyBefore(cluster: Cluster, options?: HaproxyOptions): Promise<Haproxy> {
	const ports = cluster.membersOf("gateway").map(({ url }) => Number(new URL(url).port));
	return Haproxy.start(ports, options);
}

/** Returns a client of the cluster's user behind haproxy. */
export function clientBehind(haproxy: Haproxy, cluster: Cluster): ApiClient {
	const authorization = `Bearer ${openApiToken(cluster.platform.dataDir)}`;
	return new ApiClient(`${haproxy.url}/api/v1/svc`, { authorization });
}

/** The way of a replacement. */
export interface Roll {
	/** Called when a new process is ready, before the next one is replaced. */
	readonly replaced?: (member: ClusterMember) => Promise<void>;
}

/**
 * Replaces every process of these kinds. The old one ends in order, then the new one starts, and the next one is replaced
 * when the new one says that it is ready and haproxy has noticed.
 */
export async function roll({ cluster, haproxy }: Rolled, kinds: readonly Kind[], way: Roll = {}): Promise<void> {
	for (const member of kinds.flatMap((kind) => cluster.membersOf(kind))) {
		await member.stop();
		await member.start({});
		await haproxy.seesAll();
		await way.replaced?.(member);
	}
}
