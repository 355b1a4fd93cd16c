/** Offers workspaces on the bus; the rules are in workspaces/workspace-records.ts. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { implement } from "#shared/bus/service.ts";
import { workspaces } from "#shared/contracts/workspaces/workspaces.ts";
import type { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { ownOnly, type WorkspaceRecords } from "./workspaces/workspace-records.ts";

/** @param upkeep The background work on workspaces, which runs while the service does. */
export function workspacesService(records: WorkspaceRecords, upkeep: RecurringJob): ServiceSchema {
	return {
		name: workspaces.name,
		actions: implement(workspaces, {
			list: (query, principal, { meta }) =>
				records.page(principal, { ...query, owner: principal.id, known: meta.if_none_match }),

			list_all: ({ user_id, ...query }, principal, { meta }) =>
				records.page(principal, { ...query, owner: user_id, known: meta.if_none_match }),

			get: async ({ id }, principal) => jsonText(await records.text(principal, id)),

			restore: async ({ id }, principal, { meta }) =>
				jsonText(await records.restore(principal, id, meta.idempotency_key)),

			delete: ({ id }, principal) => records.delete(principal, id),

			bulk_delete: ({ session_ids }, principal) => records.deleteAll(ownOnly(principal), session_ids),

			bulk_delete_all: ({ session_ids }, principal) => records.deleteAll(principal, session_ids),
		}),
		started: async () => upkeep.start(),
		stopped: () => upkeep.stop(),
	};
}
