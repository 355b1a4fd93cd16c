/** The stored form of connections. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import { ownedColumns } from "#shared/store/resource-kind.ts";

/** The text is a {@link Connection}. It has no secret: the values are in the credential that it names. */
export const connectionCollection = defineCollection(
	"integration_connections",
	{
		...ownedColumns,
		slug: "text",
		integration_type: "text",
		credential_name: "text",
		/** The value 1 when it is enabled, otherwise 0. */
		enabled: "integer",
		created_at: "text",
	},
	{
		by_owner: { columns: ["tenant", "owner", "created_at"] },
		by_type: { columns: ["tenant", "owner", "integration_type", "enabled", "created_at"] },
		by_credential: { columns: ["tenant", "credential_name", "owner"] },
	},
	{ audited: ["slug", "integration_type", "credential_name", "enabled"] },
);

export type ConnectionDocument = Document<(typeof connectionCollection)["columns"]>;
