/** Opens the books over a real store, as one process of the platform has them. */
import { randomUUID } from "node:crypto";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { bookCollections, openBooks } from "#services/sessions/books/open-books.ts";
import { SessionCounts } from "#services/sessions/books/session-counts.ts";
import { eventLogCollection, eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import { enter } from "#services/sessions/record/session-change.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import type { StoredStatus } from "#services/sessions/record/session-lifecycle.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { updateChange } from "#services/sessions/record/session-update.ts";
import { type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import { loadConfig } from "#shared/config/config.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { noLog } from "./no-log.ts";
import { sessionCreate, sessionDocument } from "./session-record.ts";
import { logsOn } from "../stores/logs-on.ts";

export const bookTestCollections = [
	sessionCollection,
	eventLogCollection,
	eventLogNameCollection,
	...bookCollections,
] as const;

/** Two people and an administrator of one tenant. */
export const ada: Principal = { kind: "user", id: "ada", tenant: "acme", roles: [] };
export const bob: Principal = { kind: "user", id: "bob", tenant: "acme", roles: [] };
export const root: Principal = { kind: "user", id: "root", tenant: "acme", roles: ["admin"] };

const job = systemPrincipal("test");

export type TestBooks = Awaited<ReturnType<typeof openTestBooks>>;

/** Opens the books. @param env Configuration as environment variables. */
export async function openTestBooks(store: DocumentStore, env: Record<string, string> = {}) {
	const log = new EventLog(store);
	const counts = new SessionCounts(store, log);
	const relay = new OutboxRelay(store, logsOn(store, log), [sessionCollection], () => {
		// The relay tries again.
	});
	const records = new SessionRecords(store, () => relay.wake());
	const config = loadConfig(env);
	const catalogue = readModelCatalogue(config.models.file);
	const metrics = new Metrics();
	const books = openBooks({ metrics, store, config, catalogue, records, counts, log: noLog });
	return {
		...books,
		metrics,
		records,
		counts,
		relay,
		/** Creates a running session; resolves to its id. */
		async session(principal: Principal, limit: number | null = null): Promise<string> {
			const id = randomUUID();
			const request = sessionCreate({ budget: { limit } });
			await records.insert(sessionDocument({ id, principal, request, at: now() }));
			await this.enters(id, "running");
			return id;
		},
		async enters(id: string, status: StoredStatus): Promise<void> {
			const event = status === "deleted" ? "session_deleted" : "session_updated";
			await records.change(job, id, () => ({ at: now(), event, ...enter(status, now()) }));
		},
		async limit(id: string, limit: number | null): Promise<void> {
			await records.change(job, id, (record) => updateChange(record, { budget: { limit } }));
		},
		async of(id: string) {
			return (await records.get(job, id)).session;
		},
		/** Resolves when the event log has all written events: statistics do not wait that long for it. */
		async logged(): Promise<void> {
			// A failed move is repeated only by this call.
			relay.wake();
			await relay.settled();
		},
		stop: () => relay.stop(),
	};
}

/** Returns the principal of a session's pod. */
export function podOf(id: string, generation = 1): Principal {
	return { kind: "pod", id, tenant: "", roles: [], generation };
}
