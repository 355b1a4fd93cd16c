/**
 * The event log's part. One of the processes that run it moves the events of all processes, whichever services are where;
 * a process that stores without it tells them (host/relay-link.ts).
 */
import {
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
} from "#shared/store/event-log/event-log-collection.ts";
import type { Part, StoringPlatform } from "#host/platform.ts";
import { AuditSigning } from "#shared/store/audit/audit-signing.ts";
import { processesService } from "./processes.service.ts";
import { eventLogService } from "./event-log.service.ts";

export const collections = [eventLogCollection, eventLogNameCollection, eventLogReaderCollection] as const;

export async function compose({ eventLog, auditLog, relay, log, processes }: StoringPlatform): Promise<Part> {
	const signing = new AuditSigning(auditLog, log);
	signing.start();
	return {
		services: [eventLogService(eventLog, relay), processesService(processes)],
		// The store is open until all parts are closed, so that an orderly end leaves no entry unsigned.
		close: () => signing.stop(),
	};
}
