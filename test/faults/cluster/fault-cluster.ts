/** The cluster of fault runs, and its observers. */
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { canaryEnvironment, Testbed } from "../testbed.ts";
import type { Gateways } from "./gateways.ts";

/** The longest fault of 30 s, and the time of a lease and a start. */
const passingMs = 75_000;

/** Another fault may keep the bus or the store away for 30 s meanwhile, and all processes may start at once. */
const startMs = 50_000;

/** Two of every process, each with its own way to the bus and to the three servers of the store; a small one has one pod manager, and one server. */
export function startFaultCluster(isSmall = false): Promise<Cluster> {
	const size = isSmall ? { podManagers: 1 } : ({ store: "mongod-set", podManagers: 2 } as const);
	return startCluster({ ...size, proxies: true, env: canaryEnvironment });
}

/** The stream is followed for a few seconds at one gateway and then continued at the next one. */
export function openTestbed(cluster: Cluster, gateways: Gateways): Promise<Testbed> {
	const { headers } = cluster;
	const url = () => `${gateways.way().base}/sessions/stream`;
	return Testbed.open(cluster.platform, {
		way: gateways.way,
		stream: { url, headers, connectionMs: 5_000 },
		allowedMs: passingMs,
		startMs,
	});
}
