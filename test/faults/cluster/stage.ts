/** The things that the faults of a cluster run work with. */
import type { Cluster } from "../../support/cluster/start-cluster.ts";
import type { Random } from "../random.ts";
import type { Testbed } from "../testbed.ts";
import type { Gateways } from "./gateways.ts";

export interface Stage {
	readonly cluster: Cluster;
	readonly testbed: Testbed;
	readonly gateways: Gateways;
	readonly random: Random;
	/** Observations that contradict what the platform promises. */
	readonly wrong: string[];
	/** The factor for the length of faults: 1 has the lengths of the matrix, a small run has less. */
	readonly scale: number;
}

/** One fault. It is over when its function resolves. Two of them happen at once when they hit different things. */
export interface ClusterFault {
	readonly name: string;
	readonly hits: "process" | "bus" | "store" | "network" | "pod" | "everything";
	readonly happen: (stage: Stage) => Promise<void>;
}
