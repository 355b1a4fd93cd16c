/** Where workspaces mean to differ from the contract. */
import type { Patch } from "../contract-editor.ts";

export const workspacePatches: readonly Patch[] = [
	{
		operation: "listWorkspaces, listAllWorkspaces",
		contract: "unbounded",
		ours: "`limit` (default 500), `cursor`, headers `Link` and `ETag`; without `status`, active and archived ones",
		apply: (edit) => edit.addPages("listWorkspaces", "listAllWorkspaces"),
	},
	{
		operation: "deleteWorkspace, restoreWorkspace",
		contract: "deleted also below a session that runs",
		ours: "409 while a session runs in it; a deletion is done in the background",
		apply: (edit) => edit.addError("deleteWorkspace", "409", "A session runs in it"),
	},
	{
		operation: "bulkDeleteWorkspaces, adminBulkDeleteWorkspaces",
		contract: "422 without a body",
		ours: "no body counts as `{}`; at most 200 ids, of workspaces or of sessions",
		apply(edit) {
			for (const id of ["bulkDeleteWorkspaces", "adminBulkDeleteWorkspaces"]) edit.makeBodyOptional(id);
		},
	},
	{
		operation: "WorkspaceResponse",
		contract: "sizes are those of the request",
		ours: "measured in the background: `size_bytes`, `size_is_partial`, `measured_at`; also `last_used_at`",
		apply(edit) {
			const properties = edit.properties("WorkspaceResponse");
			properties["size_bytes"] = { type: ["integer", "null"] };
			properties["size_is_partial"] = { type: "boolean" };
			properties["measured_at"] = { type: ["string", "null"], format: "date-time" };
			properties["last_used_at"] = { type: ["string", "null"], format: "date-time" };
		},
	},
];
