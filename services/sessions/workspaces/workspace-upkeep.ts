/** Looks after workspaces in the background: creations that were interrupted, and archived ones that expire. */
import { now } from "#shared/base/clock.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { sessionCollection } from "../record/session-collection.ts";
import type { SessionWorkspaces } from "./session-workspaces.ts";
import { workspaceOf } from "./workspace-changes.ts";
import { workspaceCollection, type WorkspaceDocument } from "./workspace-collection.ts";
import type { WorkspaceTasks } from "./workspace-tasks.ts";

const everyMs = 15_000;
const batch = 100;
const dayMs = 86_400_000;

interface UpkeepDependencies {
	readonly store: Documents;
	readonly ofSessions: SessionWorkspaces;
	readonly tasks: WorkspaceTasks;
	/** How long archived workspaces are kept; absent: until somebody deletes them. */
	readonly retentionDays?: number | undefined;
}

export function workspaceUpkeep(dependencies: UpkeepDependencies, log: ServiceLog): RecurringJob {
	const { tasks, retentionDays } = dependencies;
	return new RecurringJob({
		everyMs,
		async work() {
			await checkHolders(dependencies);
			if (retentionDays !== undefined) await tasks.expire(retentionDays * dayMs, batch);
		},
		onError: (error) => log.error("Workspaces cannot be looked after:", error),
	});
}

/** Frees workspaces whose session was never stored, because a process died in its creation; resolves to their count. */
export async function checkHolders({ store, ofSessions }: Omit<UpkeepDependencies, "tasks">): Promise<number> {
	const range = { equals: [], to: now() };
	const { documents } = await store.find(workspaceCollection, "check", range, { limit: batch });
	let freed = 0;
	for (const document of documents) {
		const { id, holder = "" } = document;
		const session = await store.get(sessionCollection, holder);
		if (session && workspaceOf(session) === id) await checked(store, document);
		else {
			await ofSessions.abandon(id, holder);
			freed++;
		}
	}
	return freed;
}

async function checked(store: Documents, { id, rev = 0 }: WorkspaceDocument): Promise<void> {
	await store.update(workspaceCollection, id, { equals: { rev } }, { unset: ["check_at"] });
}
