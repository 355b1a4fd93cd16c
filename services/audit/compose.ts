/** The audit part: reads the audit log, and removes what is too old. */
import { auditCheckpointCollection, auditLogCollection } from "#shared/store/audit/audit-collections.ts";
import type { Leases } from "#shared/store/leases/leases.ts";
import type { Part, StoringPlatform } from "#host/platform.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { auditService } from "./audit.service.ts";

export const collections = [auditLogCollection, auditCheckpointCollection] as const;

const trimMs = 3_600_000;

export async function compose({ config, store, auditLog, leases, log }: StoringPlatform): Promise<Part> {
	const trimming = new RecurringJob({
		everyMs: trimMs,
		work: () => trimAlone(leases, () => auditLog.trim(config.audit.retention_days)),
		onError: (error: unknown) => log.error("Old entries of the audit log cannot be removed:", error),
	});
	trimming.start();
	return { services: [auditService(auditLog, store)], close: () => trimming.stop() };
}

/** Trims unless another process does it now. */
async function trimAlone(leases: Leases, trim: () => Promise<void>): Promise<void> {
	const lease = await leases.acquire("audit.trim");
	if (!lease) return;
	try {
		await trim();
	} finally {
		await lease.release();
	}
}
