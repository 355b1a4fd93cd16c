/**
 * The repository of raw events. Its callers have checked that the principal may see the session. It is no kind of
 * ResourceRecords, because events are appended in batches and have no revision.
 */
import type { ParamsOf } from "#shared/contracts/contract.ts";
import { bound } from "#shared/base/bounds.ts";
import { LRUCache } from "lru-cache";
import {
	type IngestedEvent,
	type SessionEvent,
	type sessionEvents,
	type SessionEventType,
	sessionEventTypes,
} from "#shared/contracts/sessions/session-events.ts";
import type { NotingStore } from "#shared/store/audit/audited-store.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import type { Document } from "#shared/store/collection.ts";
import { encodeCursor, refuseCursor } from "#shared/store/pages/cursor.ts";
import { maxAppended, maxRemoved } from "#shared/store/port/documents.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import { type FoundDocuments, readPage, type StoredPage } from "#shared/store/pages/stored-page.ts";
import type { Lifecycle } from "#shared/store/port/lifecycle.ts";
import { removeAll, removeFirst } from "#shared/store/remove-first.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { sessionEventCollection } from "./session-event-collection.ts";

const pageSize = 500;
/**
 * The count of added events after which a process counts all of a session again, because another one may add some too:
 * each process can exceed the bound by so many.
 */
const recountAfter = 250;
const rememberedSizes = 1_000;
/** The most bytes of a page, so that reading one takes little time, however large the events are. */
const pageBytes = 256 * 1024;

type EventQuery = ParamsOf<typeof sessionEvents.actions.list, "session_id"> & PageRequest;

type EventDocument = Document<(typeof sessionEventCollection)["columns"]>;

export class SessionEventRecords {
	readonly #store: NotingStore & Lifecycle;
	/** The counts of events by session, and how many this process has added since it counted. */
	readonly #sizes = new LRUCache<string, { count: number; since: number }>({ max: rememberedSizes });

	constructor(store: NotingStore & Lifecycle) {
		this.#store = store;
	}

	/** Stores events of one session; an event whose id exists already is unchanged. */
	async add(session: string, events: readonly SessionEvent[]): Promise<void> {
		// An event has no revision, whose entry could be part of its write.
		if (events.length > 0) await this.#store.noteBegun?.(`sessions/${session}`);
		let remaining = events.map((event) => documentOf(session, event));
		let added = 0;
		while (remaining.length > 0) {
			const { inserted, clash } = await this.#store.append(sessionEventCollection, remaining.slice(0, maxAppended));
			added += inserted;
			remaining = remaining.slice(clash === undefined ? inserted : inserted + 1);
		}
		if (added > 0) await this.#tidy(session, added);
	}

	/** Returns a page in the order of sequence. @throws {BadRequestError} for an invalid cursor or time. */
	async page(session: string, query: EventQuery): Promise<StoredPage> {
		return readPage(await this.#found(session, query).catch(refuseCursor), query.known);
	}

	/** Yields all stored events of a session in the order of sequence. */
	async *all(session: string): AsyncGenerator<SessionEvent> {
		for await (const { wire } of this.#inOrder(session, {})) yield JSON.parse(wire);
	}

	async counts(session: string): Promise<Partial<Record<SessionEventType, number>>> {
		const counted = await Promise.all(
			sessionEventTypes.map(async (type) => {
				const range = { equals: [session, type] };
				return [type, await this.#store.count(sessionEventCollection, "by_type", range)] as const;
			}),
		);
		return Object.fromEntries(counted.filter(([, count]) => count > 0));
	}

	/** The texts are parsed only where a query asks for times. */
	async #found(session: string, query: EventQuery): Promise<FoundDocuments> {
		const isWanted = timeFilter(query);
		const documents: EventDocument[] = [];
		let [bytes, toSkip] = [0, query.offset];
		let last: EventDocument | undefined;
		for await (const document of this.#inOrder(session, query)) {
			const size = Buffer.byteLength(document.wire) + 1;
			if (last && documents.length > 0 && (documents.length >= query.limit || bytes + size > answerBytes))
				return { documents, next: encodeCursor({ value: last.sequence ?? 0, id: last.id }) };
			last = document;
			if (!isWanted(document) || toSkip-- > 0) continue;
			documents.push(document);
			bytes += size;
		}
		return { documents };
	}

	async removeAll(session: string): Promise<void> {
		this.#sizes.delete(session);
		await removeAll(this.#store, sessionEventCollection, "in_order", { equals: [session] });
	}

	async isHealthy(): Promise<boolean> {
		return this.#store.ping().then(
			() => true,
			() => false,
		);
	}

	/** Removes the oldest events above the bound. Counting reads thousands of index entries, so it is done seldom. */
	async #tidy(session: string, added: number): Promise<void> {
		const known = this.#sizes.get(session);
		const isKnown = known !== undefined && known.since + added < recountAfter;
		const since = isKnown ? known.since + added : 0;
		const range = { equals: [session] };
		const count = isKnown ? known.count + added : await this.#store.count(sessionEventCollection, "in_order", range);
		// The size is unknown while events are removed.
		this.#sizes.delete(session);
		for (let over = count - bound.rawEvents, removed = 1; over > 0 && removed > 0; over -= removed) {
			const oldest = { ...range, limit: Math.min(over, maxRemoved) };
			removed = await removeFirst(this.#store, sessionEventCollection, "in_order", oldest);
		}
		this.#sizes.set(session, { count: Math.min(count, bound.rawEvents), since });
	}

	async *#inOrder(
		session: string,
		{ event_type, cursor }: Pick<EventQuery, "event_type" | "cursor">,
	): AsyncGenerator<EventDocument> {
		const index = event_type === undefined ? "in_order" : "by_type";
		const equals = event_type === undefined ? [session] : [session, event_type];
		const page = { equals, limit: pageSize, maxBytes: pageBytes, ...(cursor !== undefined && { after: cursor }) };
		for await (const events of readPages(this.#store, sessionEventCollection, index, page)) yield* events;
	}
}

function documentOf(session: string, event: SessionEvent) {
	const { id, event_type, sequence } = event;
	return { id, wire: JSON.stringify(event), session, event_type, sequence };
}

/** Returns the stored form of an event. @throws {UnprocessableError} for an unknown type and an invalid time. */
export function eventOf(id: string, { session_id, event_type, timestamp, data, ...rest }: IngestedEvent): SessionEvent {
	const type = readEventType(event_type);
	if (Number.isNaN(Date.parse(timestamp)))
		throw new UnprocessableError(`"${timestamp}" is no time; write it as in ISO 8601`, "EVENT_TIME");
	const { sequence, tokens_in = null, tokens_out = null, cost = null, duration_ms = null, model = null } = rest;
	const measures = { tokens_in, tokens_out, cost, duration_ms, model };
	return { id, session_id, event_type: type, timestamp, data, sequence, ...measures };
}

/** Parses a type of event. @throws {UnprocessableError} */
export function readEventType(text: string): SessionEventType {
	const type = sessionEventTypes.find((name) => name === text);
	if (type) return type;
	throw new UnprocessableError(`Unknown event type "${text}"; known: ${sessionEventTypes.join(", ")}`, "EVENT_TYPE");
}

/** Returns a filter by time. @throws {UnprocessableError} for an invalid time. */
function timeFilter({ after, before }: EventQuery): (event: EventDocument) => boolean {
	if (after === undefined && before === undefined) return () => true;
	const [from, to] = [timeOf(after, -Infinity), timeOf(before, Infinity)];
	return ({ wire }) => {
		const { timestamp } = JSON.parse(wire) as SessionEvent;
		const at = Date.parse(timestamp);
		return at > from && at < to;
	};
}

function timeOf(text: string | undefined, fallback: number): number {
	const time = text === undefined ? fallback : Date.parse(text);
	if (Number.isNaN(time)) throw new UnprocessableError(`"${text}" is no time; write it as in ISO 8601`, "EVENT_TIME");
	return time;
}
