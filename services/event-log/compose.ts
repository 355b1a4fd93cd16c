/**
 * The event log's part. It runs in every process whose documents have events: one of these processes moves the events of
 * all, and the others tell it.
 */
import {
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
} from "#shared/event-log/event-log-collection.ts";
import type { Part, StoringPlatform } from "#shared/platform.ts";
import { RecurringJob } from "#shared/recurring-job.ts";
import { processesService } from "./processes.service.ts";
import { eventLogService } from "./event-log.service.ts";

export const collections = [eventLogCollection, eventLogNameCollection, eventLogReaderCollection] as const;

/** The interval of signatures under the audit log, in milliseconds. */
const checkpointMs = 60_000;

export async function compose({ eventLog, auditLog, relay, log, processes }: StoringPlatform): Promise<Part> {
	const onError = (error: unknown) => log.error("The audit log cannot be signed:", error);
	// A process signs the chains that it has extended; nearly all are extended by the process that moves the events.
	const signing = new RecurringJob({ everyMs: checkpointMs, work: () => auditLog.checkpointAll(), onError });
	signing.start();
	return {
		services: [eventLogService(eventLog, relay), processesService(processes)],
		async close() {
			await signing.stop();
			// The store is open until all parts are closed, so that an orderly end leaves no entry unsigned.
			await auditLog.checkpointAll().catch(onError);
		},
	};
}
