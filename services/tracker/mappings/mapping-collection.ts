/** The stored form of mappings. */
import { defineCollection } from "#shared/store/collection.ts";
import { ownedColumns } from "#shared/store/resource-kind.ts";

/**
 * The text is a {@link Mapping}. Its id follows from the repository and the tenant or person that it is for, so that there
 * is one of each.
 */
export const mappingCollection = defineCollection(
	"tracker_mappings",
	{
		...ownedColumns,
		/** The persons whose sessions it is for: `tenant`, when an administrator made it; absent: its creator. */
		reach: "text",
		/** The repository, as `repositoryKey` names it. */
		repo: "text",
		created_at: "text",
		/** The name that the `Idempotency-Key` of the request gives the mapping; absent without one. */
		key: "text",
	},
	{ by_tenant: { columns: ["tenant", "created_at"] }, by_key: { columns: ["key"], unique: true } },
	{ audited: ["repo_url", "project_id", "project_name", "tracker", "on_start", "on_merge"] },
);
