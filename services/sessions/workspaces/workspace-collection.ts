/** The stored form of workspaces. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** The text is a {@link WorkspaceView}. */
export const workspaceCollection = defineCollection(
	"workspaces",
	{
		tenant: "text",
		owner: "text",
		/** The lists that contain it: `kept` or `deleted`. */
		shelf: "text",
		status: "text",
		created_at: "text",
		archived_at: "text",
		/** Grows with every change that clients can see. */
		rev: "integer",
		/** The session that it belongs to now; absent: to none. At most one session ever runs in it. */
		holder: "text",
		/** The session that it belongs to, or belonged to last. */
		session: "text",
		/** The source of its first session, and the repositories that were cloned into it. */
		source: "json",
		repositories: "json",
		/** The value 1 from the launch of a pod until that pod has ended. */
		launched: "integer",
		/** The host that its files are on; absent: there are none yet, or every pod manager reaches them. */
		host: "text",
		size_bytes: "integer",
		/** Why the size is not that of all files; absent: it is. */
		partial: "text",
		/** The time of the next removal of its files in milliseconds since 1970; present when it is deleted. */
		due_at: "integer",
		/** The time of the next measurement. */
		measure_at: "integer",
		/** The time at which it is checked whether its holder was created at all; absent after the first launch. */
		check_at: "integer",
		/** The count of claims; only the newest one may report. */
		fence: "integer",
		/** The `Idempotency-Key` of the restore that made it active. */
		restore_key: "text",
	},
	{
		owner_shelf: { columns: ["tenant", "owner", "shelf", "created_at"] },
		owner_status: { columns: ["tenant", "owner", "status", "created_at"] },
		tenant_shelf: { columns: ["tenant", "shelf", "created_at"] },
		tenant_status: { columns: ["tenant", "status", "created_at"] },
		/** Archived ones, the oldest first; a deleted one has no such time any more. */
		archived: { columns: ["archived_at"] },
		by_session: { columns: ["session", "created_at"] },
		due: { columns: ["due_at"] },
		measure: { columns: ["measure_at"] },
		check: { columns: ["check_at"] },
	},
	{ audited: ["name", "status", "session_id"] },
);

export type WorkspaceColumns = (typeof workspaceCollection)["columns"];
export type WorkspaceDocument = Document<WorkspaceColumns>;
