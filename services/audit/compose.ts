/** The audit part: reads the audit log, signs it and removes what is too old. */
import { auditCheckpointCollection, auditLogCollection } from "#shared/audit/audit-collections.ts";
import type { Part, StoringPlatform } from "#shared/platform.ts";
import { RecurringJob } from "#shared/recurring-job.ts";
import { auditService } from "./audit.service.ts";

export const collections = [auditLogCollection, auditCheckpointCollection] as const;

const checkpointMs = 60_000;
const trimMs = 3_600_000;

export async function compose({ config, store, auditLog, log }: StoringPlatform): Promise<Part> {
	const onError = (error: unknown) => log.error("The audit log cannot be looked after:", error);
	const signing = new RecurringJob({ everyMs: checkpointMs, work: () => auditLog.checkpointAll(), onError });
	const trimming = new RecurringJob({
		everyMs: trimMs,
		work: () => auditLog.trim(config.audit.retention_days),
		onError,
	});
	signing.start();
	trimming.start();
	return {
		services: [auditService(auditLog, store)],
		async close() {
			await Promise.all([signing.stop(), trimming.stop()]);
			// The store is open until all parts are closed, so that an orderly end leaves no entry unsigned.
			await auditLog.checkpointAll().catch(onError);
		},
	};
}
