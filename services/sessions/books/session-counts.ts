/**
 * Counts the sessions and the running sessions of users and tenants: a fold of the event log, whose events carry the
 * changes of the counts. Each document stores the number of the newest event it has counted.
 */
import type { Principal } from "#shared/base/principal.ts";
import type { Document } from "#shared/store/collection.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import type { Audience, Documents } from "#shared/store/port/documents.ts";
import type { Outbox } from "#shared/store/port/outbox.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { type CountedEvent, entryKey, type EventLog } from "#shared/store/event-log/event-log.ts";
import { seesWholeTenant } from "#shared/contracts/access/access-table.ts";
import type { SessionCounters } from "../record/counters-change.ts";
import { sessionCollection } from "../record/session-collection.ts";
import { sessionCountCollection } from "./collections.ts";

type CountDocument = Document<(typeof sessionCountCollection)["columns"]>;

const position = "position";
const pageSize = 500;

/** The most documents with waiting events of one reading. */
const maxWaiting = 200;

/** The counts as one process reads and folds them. */
export class SessionCounts {
	readonly #store: Documents & Outbox;
	readonly #log: EventLog;
	readonly #folds = new SingleFlight(() => this.#foldAll());

	constructor(store: Documents & Outbox, log: EventLog) {
		this.#store = store;
		this.#log = log;
	}

	/** Folds the new events of the log; calls during a fold lead to no second one. */
	fold(): Promise<void> {
		return this.#folds.join();
	}

	settled(): Promise<void> {
		return this.#folds.settled();
	}

	/**
	 * Returns the exact counts, whichever process has written the events and moves them: what is folded, what the log has
	 * beside that, and what waits in outboxes. Of more than 200 waiting documents, the newest are left out.
	 */
	async of(principal: Principal): Promise<SessionCounters> {
		const { tenant, id: owner } = principal;
		const id = seesWholeTenant(principal) ? JSON.stringify([tenant]) : JSON.stringify([tenant, owner]);
		// An event that is moved meanwhile is seen in the outbox, and perhaps in the log too.
		const waiting = await this.#waiting(id);
		const events = await this.#unfolded();
		const { applied = 0, ...counted } = (await this.#store.get(sessionCountCollection, id)) ?? {};
		const newer = events.filter(({ seq, audience }) => seq > applied && scopesOf(audience).includes(id));
		for (const { key } of events) waiting.delete(key);
		const late = await this.#unapplied(waiting, applied);
		return [counted, ...newer.map(({ counters }) => counters), ...late].map(ofSessions).reduce(sum);
	}

	/** Returns the counters of the events of a scope that wait in outboxes, by the keys that they will have in the log. */
	async #waiting(scope: string): Promise<Map<string, Partial<SessionCounters>>> {
		const documents = await this.#store.outbox(sessionCollection, maxWaiting);
		const found = new Map<string, Partial<SessionCounters>>();
		for (const { id, entries } of documents) {
			for (const { n, audience, counters } of entries)
				if (counters && scopesOf(audience).includes(scope)) found.set(entryKey(sessionCollection, id, n), counters);
		}
		return found;
	}

	async #unfolded(): Promise<CountedEvent[]> {
		const events: CountedEvent[] = [];
		for (let from = await this.#position(); ; from = events.at(-1)?.seq ?? from) {
			const page = await this.#log.counted(from, pageSize);
			events.push(...page);
			if (page.length < pageSize) return events;
		}
	}

	/** Leaves out the events that were moved and folded meanwhile. */
	async #unapplied(waiting: ReadonlyMap<string, Partial<SessionCounters>>, applied: number) {
		const each = [...waiting].map(async ([key, counters]) => {
			const seq = await this.#log.seqOf(key);
			return seq !== undefined && seq <= applied ? {} : counters;
		});
		return Promise.all(each);
	}

	async #foldAll(): Promise<void> {
		for (;;) {
			const from = await this.#position();
			const events = await this.#log.counted(from, pageSize);
			const last = events.at(-1)?.seq;
			if (last === undefined) return;
			if (from === 0) await this.#insert({ id: position, applied: 0 });
			await Promise.all([...byScope(events)].map(([id, itsEvents]) => this.#bringForward(id, itsEvents)));
			await this.#store.update(
				sessionCountCollection,
				position,
				{ equals: { applied: from } },
				{ set: { applied: last } },
			);
		}
	}

	async #bringForward(id: string, events: readonly CountedEvent[]): Promise<void> {
		await compareAndSet({
			what: "The number of sessions",
			read: async () => (await this.#store.get(sessionCountCollection, id)) ?? this.#first(id),
			decide: (document) => withEvents(document, events),
			write: ({ applied = 0 }, set) => this.#store.update(sessionCountCollection, id, { equals: { applied } }, { set }),
		});
	}

	async #first(id: string): Promise<Omit<CountDocument, "wire">> {
		const first = { id, applied: 0, sessions: 0, running_sessions: 0 };
		await this.#insert(first);
		return first;
	}

	async #insert(document: Omit<CountDocument, "wire">): Promise<void> {
		await insertOnce(() => this.#store.insert(sessionCountCollection, { ...document, wire: "{}" }));
	}

	async #position(): Promise<number> {
		return (await this.#store.get(sessionCountCollection, position))?.applied ?? 0;
	}
}

/** Returns the ids of the documents that count events of an audience. */
function scopesOf({ tenant, owner = "" }: Audience): string[] {
	return [JSON.stringify([tenant]), JSON.stringify([tenant, owner])];
}

/** Groups events by user and tenant, in their order. */
function byScope(events: readonly CountedEvent[]): Map<string, CountedEvent[]> {
	const found = new Map<string, CountedEvent[]>();
	for (const event of events) {
		for (const id of scopesOf(event.audience)) {
			const its = found.get(id);
			if (its) its.push(event);
			else found.set(id, [event]);
		}
	}
	return found;
}

/** The columns with the events that a document does not have yet; undefined when it has them all. */
function withEvents(document: Omit<CountDocument, "wire">, events: readonly CountedEvent[]) {
	const { applied = 0 } = document;
	const fresh = events.filter(({ seq }) => seq > applied);
	const last = fresh.at(-1)?.seq;
	if (last === undefined) return undefined;
	const counters = [document, ...fresh.map((event) => event.counters)].map(ofSessions).reduce(sum);
	return { applied: last, ...counters };
}

/** Returns the counters of sessions; those of other services are ignored. */
function ofSessions({ sessions = 0, running_sessions = 0 }: Partial<SessionCounters>): SessionCounters {
	return { sessions, running_sessions };
}

function sum(a: SessionCounters | undefined, b: SessionCounters): SessionCounters {
	return {
		sessions: (a?.sessions ?? 0) + b.sessions,
		running_sessions: (a?.running_sessions ?? 0) + b.running_sessions,
	};
}
