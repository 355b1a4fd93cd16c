/** Wires raw events of sessions to the bus; the rules are in session-event-records.ts and session-event-tokens.ts. */
import { randomUUID } from "node:crypto";
import type { ServiceSchema } from "moleculer";
import { ownershipOf } from "#shared/contracts/access/access-table.ts";
import { bound } from "#shared/base/bounds.ts";
import { type Principal, principalKey } from "#shared/base/principal.ts";
import { refuseLargeRequest } from "#shared/bus/message-size.ts";
import { implement, type RequestContext } from "#shared/bus/service.ts";
import { type IngestedEvent, type SessionEvent, sessionEvents } from "#shared/contracts/sessions/session-events.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { refuseForeignReport } from "./commands/session-rights.ts";
import { eventOf, readEventType, type SessionEventRecords } from "./raw-events/session-event-records.ts";
import { countedOf, tokenTimeline } from "./raw-events/session-event-tokens.ts";
import type { SessionRecords } from "./record/session-records.ts";

export function sessionEventsService(sessions: SessionRecords, records: SessionEventRecords): ServiceSchema {
	/** Stores all events or none: all checks precede the first write. */
	async function ingest(principal: Principal, events: readonly IngestedEvent[]): Promise<SessionEvent[]> {
		const stored = events.map((event) => eventOf(randomUUID(), event));
		// Numbers may have become longer than they were sent, and the stored events must fit into an answer.
		refuseLargeRequest({ events: stored });
		const bySession = Map.groupBy(stored, ({ session_id }) => session_id);
		for (const id of bySession.keys())
			refuseForeignReport(principal, ownershipOf((await sessions.get(principal, id)).session));
		for (const [id, own] of bySession) await records.add(id, own);
		return stored;
	}

	/** One reading may be of 5,000 events of 4 KB. */
	const readings = new FairQueue({
		atOnce: bound.eventReadings,
		share: bound.eventReadingsOfOne,
		waiting: bound.waitingEventReadings,
		waitingOfOne: bound.waitingEventReadingsOfOne,
		full: () => new TooManyRequestsError("Too many events are being read, try again", "BUSY"),
	});

	/** Reads when it is the caller's turn. @throws {TimeoutError} when the caller has stopped waiting by then. */
	function inTurn<T>(principal: Principal, { meta }: RequestContext, read: () => Promise<T>): Promise<T> {
		return readings.run(principalKey(principal), read, { deadline: meta.deadline });
	}

	return {
		name: sessionEvents.name,
		actions: implement(sessionEvents, {
			async list({ session_id, ...query }, principal, ctx) {
				if (query.event_type !== undefined) readEventType(query.event_type);
				await sessions.get(principal, session_id);
				const known = ctx.meta.if_none_match;
				return inTurn(principal, ctx, () => records.page(session_id, { ...query, known }));
			},

			async counts({ session_id }, principal) {
				await sessions.get(principal, session_id);
				return records.counts(session_id);
			},

			async tokens({ session_id, bucket_seconds }, principal, ctx) {
				await sessions.get(principal, session_id);
				return inTurn(principal, ctx, async () =>
					tokenTimeline(await Array.fromAsync(records.all(session_id), countedOf), bucket_seconds),
				);
			},

			async ingest(event, principal) {
				const [stored] = await ingest(principal, [event]);
				if (!stored) throw new TypeError("An event that was stored is gone");
				return stored;
			},

			ingest_batch: ({ events }, principal) => ingest(principal, events),

			health: async () => ({ sinks: { store: await records.isHealthy() } }),
		}),
	};
}
