/** Wires the work on workspaces for the pod manager to the bus; the rules are in workspaces and claims/disk-shortage.ts. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { workspaceWork } from "#shared/contracts/workspaces/workspace-work.ts";
import type { DiskShortage } from "./claims/disk-shortage.ts";
import type { WorkspaceTasks } from "./workspaces/workspace-tasks.ts";

export function workspaceWorkService(tasks: WorkspaceTasks, shortage: DiskShortage): ServiceSchema {
	return {
		name: workspaceWork.name,
		actions: implement(workspaceWork, {
			claim: ({ limit, measure, host }) => tasks.claim(limit, measure, host),
			report: (report) => tasks.report(report),
			unknown: ({ ids }) => tasks.unknown(ids),
			in_use: ({ sessions }) => shortage.inUse(sessions),
			disk_short: ({ least_bytes, measured }) => shortage.stopLargest(measured, least_bytes),
			oversized: (workspace) => shortage.stopOversized(workspace),
		}),
	};
}
