/**
 * The contract of resources: the resources that a session may request in `resource_config`, and the nodes that offer
 * them.
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { text, textMap } from "../field-rules.ts";

const amounts = { ...textMap, description: "Amounts by `resource_key`" } as const;

const resourceType = schema({
	name: { ...text, description: "The member of `resource_config`" },
	resource_key: { ...text, description: "The name of the resource on a node" },
	display_name: text,
	unit: text,
	category: { type: "enum", values: ["compute", "accelerator", "custom"] },
});

const node = schema({ name: text, labels: amounts, allocatable: amounts, allocated: amounts, available: amounts });

export const resourceInfo = schema({
	resource_types: { type: "array", items: { type: "object", props: resourceType } },
	nodes: { type: "array", items: { type: "object", props: node } },
});
export type ResourceInfo = Output<typeof resourceInfo>;

export const resources = defineContract("resources", {
	info: {
		rest: "GET /resources",
		summary: "Types of resources that sessions may ask for, and the nodes that have them",
		params: {},
		returns: { type: "object", props: resourceInfo },
	},
});
