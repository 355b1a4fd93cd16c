/** Composes the workspaces within the sessions part. */
import type { Config } from "#shared/config/config.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { Lifecycle } from "#shared/store/port/lifecycle.ts";
import type { HostBinding } from "../record/host-binding.ts";
import { SessionWorkspaces } from "./session-workspaces.ts";
import { WorkspaceQuota } from "./workspace-quota.ts";
import { WorkspaceRecords } from "./workspace-records.ts";
import { WorkspaceTasks } from "./workspace-tasks.ts";
import { workspaceUpkeep } from "./workspace-upkeep.ts";

interface WorkspacesDependencies {
	readonly store: Documents & Pick<Lifecycle, "isShared">;
	readonly log: ServiceLog;
	readonly config: Pick<Config, "workspaces">;
	readonly binding: HostBinding;
	/** Called when the files of a workspace are due for removal. */
	readonly due: (id: string) => void;
}

export function composeWorkspaces({ store, log, config, binding, due }: WorkspacesDependencies) {
	const { quota, retention_days: retentionDays } = config.workspaces;
	const ofSessions = new SessionWorkspaces(store, new WorkspaceQuota(store, quota), due);
	const tasks = new WorkspaceTasks(store, binding);
	return {
		ofSessions,
		records: new WorkspaceRecords(store, due),
		tasks,
		upkeep: workspaceUpkeep({ store, ofSessions, tasks, retentionDays }, log),
	};
}
