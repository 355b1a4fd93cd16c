/** The two logs of a platform, on a store of a test. */
import { AuditLog } from "#shared/store/audit/audit-log.ts";
import { AuditSigner } from "#shared/store/audit/audit-signature.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import type { Logs } from "#shared/store/event-log/outbox-relay.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";

const keyBytes = 32;

/** Returns the logs. @param events The event log, when the test has one already. */
export function logsOn(store: DocumentStore, events = new EventLog(store)): Logs {
	return { events, audit: new AuditLog(store, new AuditSigner(Buffer.alloc(keyBytes, 1))) };
}
