/** The collections of the audit log: the chained entries of all tenants, and the signed checkpoints of their chains. */
import { defineCollection, type Document } from "../collection.ts";

/** The text is a {@link ChainedEntry}. The id names the write that caused it, so that a relay enters no write twice, or its place. */
export const auditLogCollection = defineCollection(
	"audit_log",
	{ tenant: "text", seq: "integer", hash: "text", actor: "text", resource: "text", at: "integer" },
	{
		by_tenant: { columns: ["tenant", "seq"], unique: true },
		by_actor: { columns: ["tenant", "actor", "seq"] },
		by_resource: { columns: ["tenant", "resource", "seq"] },
		by_time: { columns: ["at"] },
	},
);

export type AuditDocument = Document<(typeof auditLogCollection)["columns"]>;

/** The text is a {@link SignedCheckpoint}. */
export const auditCheckpointCollection = defineCollection(
	"audit_checkpoints",
	{ tenant: "text", seq: "integer" },
	{ by_tenant: { columns: ["tenant", "seq"] } },
);
