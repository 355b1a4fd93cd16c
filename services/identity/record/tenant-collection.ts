/** The stored form of tenants. A deleted one stays, so that neither a claim nor a request makes another with its id. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** The text is a {@link Tenant}. */
export const tenantCollection = defineCollection(
	"tenants",
	{
		/** `active` or `deleted`. */
		state: "text",
		/** The ids from the root, each as a part of a URL's path and with a slash behind it, which no id has. */
		lineage: "text",
		/** The id of the parent; absent for a root. */
		parent: "text",
		rev: "integer",
		/** The ids of administrators who are about to lose that role: they do not count as the last one. */
		leaving: "json",
	},
	{
		by_lineage: { columns: ["state", "lineage"] },
		by_parent: { columns: ["state", "parent", "lineage"] },
	},
	{ audited: ["name", "parent_id", "tier", "max_sessions", "max_storage_gb"], tenantOf: (id) => id },
);

export type TenantColumns = (typeof tenantCollection)["columns"];
export type TenantDocument = Document<TenantColumns>;

/** Returns the lineage of a tenant below this one; of a root without one. */
export function lineageOf(id: string, parent = ""): string {
	return `${parent}${encodeURIComponent(id.toWellFormed())}/`;
}

/** The range of the lineages of a tenant and all tenants below it. */
export function belowLineage(lineage: string): { from: string; to: string } {
	// No part of a lineage has a character beyond `~`.
	return { from: lineage, to: `${lineage}\u007f` };
}
