/** Wires raw events of sessions to the bus; the rules are in session-event-records.ts and session-event-tokens.ts. */
import { randomUUID } from "node:crypto";
import type { ServiceSchema } from "moleculer";
import { ownershipOf } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { refuseLargeRequest } from "#shared/bus/message-size.ts";
import { implement, isLate, type RequestContext } from "#shared/bus/service.ts";
import { type IngestedEvent, type SessionEvent, sessionEvents } from "#shared/contracts/sessions/session-events.ts";
import { TimeoutError } from "#shared/base/errors.ts";
import { FairTurns, type TurnLimits } from "#shared/base/concurrency/fair-turns.ts";
import { refuseForeignReport } from "./commands/session-rights.ts";
import { eventOf, readEventType, type SessionEventRecords } from "./raw-events/session-event-records.ts";
import { countedOf, tokenTimeline } from "./raw-events/session-event-tokens.ts";
import type { SessionRecords } from "./record/session-records.ts";

/**
 * Limits concurrent readings, because one may read 5,000 events of 4 KB; waiting callers have their turns in rotation.
 */
const readings: TurnLimits = {
	atOnce: 4,
	share: 2,
	waiting: 1_024,
	waitingOfOne: 64,
	refusal: "Too many events are being read, try again",
};

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

	const turns = new FairTurns(readings);

	/** Reads when it is the caller's turn. @throws {TimeoutError} when the caller has stopped waiting by then. */
	function inTurn<T>(principal: Principal, { meta }: RequestContext, read: () => Promise<T>): Promise<T> {
		return turns.run(principal, async () => {
			if (isLate(meta.deadline)) throw new TimeoutError("The request came too late");
			return read();
		});
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
