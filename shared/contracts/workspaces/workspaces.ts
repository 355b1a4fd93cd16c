/** The contract of workspaces: the stored files of sessions, which outlive them. */
import { type ActionSpec, defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { count, nullableText, nullableTime, text, time } from "../field-rules.ts";

/** The statuses. `deleted`: its storage is being removed. */
export const workspaceStatuses = ["active", "archived", "deleted"] as const;
export type WorkspaceStatus = (typeof workspaceStatuses)[number];

export const maxBulk = 200;

const status = { type: "enum", values: workspaceStatuses } as const;

export const workspace = schema({
	id: { type: "uuid" },
	session_id: { type: "uuid", description: "The session that it belongs to, or belonged to last" },
	user_id: text,
	tenant_id: text,
	pvc_name: { ...text, description: "Name of its storage" },
	status,
	size_gb: { ...count, description: "GiB, rounded up; 0 until it was measured" },
	created_at: time,
	archived_at: nullableTime,
	deleted_at: nullableTime,
	session_name: nullableText,
	source_url: nullableText,
	source_ref: nullableText,
	size_bytes: { ...count, nullable: true, description: "Null until it was measured" },
	size_is_partial: {
		type: "boolean",
		optional: true,
		description: "Whether not all files could be counted: the size is the least then; absent in older records",
	},
	measured_at: nullableTime,
	last_used_at: { ...nullableTime, description: "Begin of its last launch, or end of its last use; null: never used" },
});
export type WorkspaceView = Output<typeof workspace>;

const workspaceId = { id: { type: "uuid", description: "Id of the workspace, or of its session" } } as const;
const record = { type: "object", props: workspace } as const;
const filter = {
	status: { ...status, optional: true, description: "Default `active` and `archived`" },
	...pageParams,
} as const;
const bulk = {
	params: {
		session_ids: {
			type: "array",
			max: maxBulk,
			items: { type: "string", max: 100 },
			default: [],
			description: "Ids of workspaces, or of their sessions",
		},
	},
	returns: {
		type: "object",
		props: {
			deleted: count,
			failed: { type: "array", items: { type: "object", props: { session_id: text, error: text } } },
		},
	},
} as const satisfies Partial<ActionSpec>;

export const workspaces = defineContract("workspaces", {
	list: {
		rest: "GET /workspaces",
		summary: "The caller's own workspaces, newest first",
		params: filter,
		...pageOf(record),
		errors: [400],
	},
	list_all: {
		rest: "GET /admin/workspaces",
		access: "admin",
		summary: "The workspaces of the administrator's tenant, newest first",
		params: { user_id: { type: "string", max: 255, optional: true, description: "Only this owner" }, ...filter },
		...pageOf(record),
		errors: [400],
	},
	get: {
		rest: "GET /workspaces/:id",
		summary: "One workspace",
		params: workspaceId,
		returns: record,
		errors: [404],
	},
	restore: {
		rest: "POST /workspaces/:id/restore",
		summary: "Make an archived workspace active, for its next session",
		params: workspaceId,
		returns: record,
		errors: [404, 409, 503],
	},
	delete: {
		rest: "DELETE /workspaces/:id",
		summary: "Delete a workspace and its files, unless a session runs in it",
		params: workspaceId,
		errors: [404, 409, 503],
	},
	bulk_delete: {
		...bulk,
		rest: "POST /workspaces/bulk-delete",
		makes_room: true,
		summary: "Delete several own workspaces; what cannot be deleted is named with the reason",
	},
	bulk_delete_all: {
		...bulk,
		rest: "POST /admin/workspaces/bulk-delete",
		makes_room: true,
		access: "admin",
		summary: "Delete several workspaces of the administrator's tenant",
	},
});
