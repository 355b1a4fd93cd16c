/** The resources of an installation without a cluster: the two that every machine has, and no nodes to choose from. */
import type { ResourceInfo } from "#shared/contracts/settings/resources.ts";

export const staticResources: ResourceInfo = {
	resource_types: [
		{ name: "cpu", resource_key: "cpu", display_name: "CPU", unit: "cores", category: "compute" },
		{ name: "memory", resource_key: "memory", display_name: "Memory", unit: "bytes", category: "compute" },
	],
	nodes: [],
};
