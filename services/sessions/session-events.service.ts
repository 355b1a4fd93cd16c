/** Raw events of sessions, on the bus: wiring only; the rules are in session-event-records.ts and session-event-tokens.ts. */
import { randomUUID } from "node:crypto";
import type { ServiceSchema } from "moleculer";
import type { Principal } from "#shared/bus/principal.ts";
import { refuseLargeRequest } from "#shared/bus/message-size.ts";
import { implement } from "#shared/bus/service.ts";
import { type IngestedEvent, type SessionEvent, sessionEvents } from "#shared/contracts/session-events.ts";
import { eventOf, readEventType, type SessionEventRecords } from "./raw-events/session-event-records.ts";
import { tokenTimeline } from "./raw-events/session-event-tokens.ts";
import type { SessionRecords } from "./session-records.ts";

export function sessionEventsService(sessions: SessionRecords, records: SessionEventRecords): ServiceSchema {
	/** All or none: whatever may be refused is looked at before the first is kept. */
	async function ingest(principal: Principal, events: readonly IngestedEvent[]): Promise<SessionEvent[]> {
		const kept = events.map((event) => eventOf(randomUUID(), event));
		// Numbers may be longer than they were sent, and what is kept must be answered.
		refuseLargeRequest({ events: kept });
		const bySession = Map.groupBy(kept, ({ session_id }) => session_id);
		for (const id of bySession.keys()) await sessions.get(principal, id);
		for (const [id, own] of bySession) await records.add(id, own);
		return kept;
	}

	return {
		name: sessionEvents.name,
		actions: implement(sessionEvents, {
			async list({ session_id, ...query }, principal) {
				if (query.event_type !== undefined) readEventType(query.event_type);
				await sessions.get(principal, session_id);
				return records.page(session_id, query);
			},

			async counts({ session_id }, principal) {
				await sessions.get(principal, session_id);
				return records.counts(session_id);
			},

			async tokens({ session_id, bucket_seconds }, principal) {
				await sessions.get(principal, session_id);
				return tokenTimeline(await Array.fromAsync(records.all(session_id)), bucket_seconds);
			},

			async ingest(event, principal) {
				const [kept] = await ingest(principal, [event]);
				if (!kept) throw new TypeError("An event that was kept is gone");
				return kept;
			},

			ingest_batch: ({ events }, principal) => ingest(principal, events),

			health: async () => ({ sinks: { store: await records.isHealthy() } }),
		}),
	};
}
