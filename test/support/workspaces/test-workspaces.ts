/** Makes the workspaces of sessions over a test's own store. */
import { SessionWorkspaces } from "#services/sessions/workspaces/session-workspaces.ts";
import { type QuotaLimits, WorkspaceQuota } from "#services/sessions/workspaces/workspace-quota.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";

/** Returns the workspaces; nobody is notified of due removals. The store must have the collections of both. */
export function workspacesOver(store: DocumentStore, limits: QuotaLimits = {}): SessionWorkspaces {
	return new SessionWorkspaces(store, new WorkspaceQuota(store, limits), () => {});
}
