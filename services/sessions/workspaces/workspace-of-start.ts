/** Gives a session whose workspace was deleted another one within the start, so that the quota is not got around. */
import { ServiceError } from "#shared/base/errors.ts";
import type { ColumnChange, SessionRecord } from "../record/session-change.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { SessionWorkspaces } from "./session-workspaces.ts";

/**
 * Runs the start with the columns that name the workspace. What the start does not use is given up; after a failure
 * that leaves the outcome open, the check of holders finds that out (workspace-upkeep.ts).
 * @throws {ConflictError} when the owner's quota is used up; whatever the start throws.
 */
export async function startInWorkspace<T extends { readonly record: SessionRecord }>(
	workspaces: Pick<SessionWorkspaces, "replaceDeleted" | "abandon">,
	session: SessionDocument,
	start: (place: ColumnChange) => Promise<T>,
): Promise<T> {
	const workspace = await workspaces.replaceDeleted(session);
	if (workspace === undefined) return start({});
	try {
		const started = await start({ set: { workspace } });
		if (started.record.document.workspace !== workspace) await workspaces.abandon(workspace, session.id);
		return started;
	} catch (error) {
		if (isRefusal(error)) await workspaces.abandon(workspace, session.id);
		throw error;
	}
}

/** Whether nothing was written. */
function isRefusal(error: unknown): boolean {
	return error instanceof ServiceError && error.code < 500;
}
