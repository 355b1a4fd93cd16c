/**
 * How many sessions a user and a tenant have, and how many of them run: a fold of the event log, whose events say by how
 * much they change it, so that nobody has to count. Each document remembers the newest event it has.
 */
import { isAdmin, type Principal } from "#shared/bus/principal.ts";
import { UnavailableError } from "#shared/errors.ts";
import type { Document } from "#shared/store/collection.ts";
import { type DocumentStore, DuplicateKeyError, type EventCounts } from "#shared/store/document-store.ts";
import { eventLogCollection } from "#shared/event-log/event-log-collection.ts";
import { countsChange } from "../record/counts-change.ts";
import { sessionCollection } from "../record/session-collection.ts";
import { sessionCountCollection } from "./session-count-collection.ts";

type CountDocument = Document<(typeof sessionCountCollection)["columns"]>;
type CountedEvent = Document<(typeof eventLogCollection)["columns"]>;

const position = "position";
const pageSize = 500;
const maxRaces = 50;

/** What counting needs of an event. */
const countedColumns = ["seq", "counted_seq", "tenant", "owner", "sessions", "running"] as const;

export class SessionCounts {
	readonly #store: DocumentStore;
	#fold: Promise<void> | undefined;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	/**
	 * Counts the sessions there are when nobody has begun to; to be called before anything changes. Whoever finds, after
	 * its own count, that another process has begun keeps nothing of it: changes since then are in the log, too.
	 */
	async open(): Promise<void> {
		if (await this.#hasBegun()) return;
		const found = await this.#count();
		if (await this.#hasBegun()) return;
		for (const [id, { sessions, running }] of found) await this.#insert({ id, applied: 0, sessions, running });
		await this.#insert({ id: position, applied: 0 });
	}

	async #hasBegun(): Promise<boolean> {
		return (await this.#store.get(sessionCountCollection, position)) !== undefined;
	}

	/** Of each user and tenant. */
	async #count(): Promise<Map<string, EventCounts>> {
		const found = new Map<string, EventCounts>();
		let after: string | undefined;
		do {
			const page = { limit: pageSize, ...(after !== undefined && { after }) };
			const { documents, next } = await this.#store.find(sessionCollection, "created", { equals: [] }, page);
			for (const { tenant = "", owner = "", status } of documents) {
				const one = countsChange(undefined, status);
				for (const id of scopesOf(tenant, owner)) if (one) found.set(id, sum(found.get(id), one));
			}
			after = next;
		} while (after !== undefined);
		return found;
	}

	/** Takes in what is new in the log; calls during one lead to no second one. */
	fold(): Promise<void> {
		this.#fold ??= this.#foldAll().finally(() => {
			this.#fold = undefined;
		});
		return this.#fold;
	}

	/** Resolves when no fold is under way. */
	async settled(): Promise<void> {
		await this.#fold?.catch(() => {});
	}

	/** Exact as of the log: events that no document has yet are counted too. */
	async of(principal: Principal): Promise<EventCounts> {
		const { tenant, id: owner } = principal;
		const id = isAdmin(principal) ? JSON.stringify([tenant]) : JSON.stringify([tenant, owner]);
		const events: CountedEvent[] = [];
		for (let from = await this.#position(); ; ) {
			const page = await this.#after(from);
			events.push(...page);
			if (page.length < pageSize) break;
			from = page.at(-1)?.seq ?? from;
		}
		const { applied = 0, ...counted } = (await this.#store.get(sessionCountCollection, id)) ?? {};
		const newer = events.filter(({ seq = 0, ...event }) => seq > applied && idsOf(event).includes(id));
		return [counted, ...newer].map(asCounts).reduce(sum);
	}

	async #foldAll(): Promise<void> {
		for (;;) {
			const from = await this.#position();
			const events = await this.#after(from);
			const last = events.at(-1)?.seq;
			if (last === undefined) return;
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
		for (let races = 0; races < maxRaces; races++) {
			const document = (await this.#store.get(sessionCountCollection, id)) ?? (await this.#first(id));
			const { applied = 0 } = document;
			const fresh = events.filter(({ seq = 0 }) => seq > applied);
			const last = fresh.at(-1)?.seq;
			if (last === undefined) return;
			const { sessions, running } = [document, ...fresh].map(asCounts).reduce(sum);
			const set = { applied: last, sessions, running };
			if (await this.#store.update(sessionCountCollection, id, { equals: { applied } }, { set })) return;
		}
		throw new UnavailableError("The counts of sessions change too fast, try again");
	}

	async #first(id: string): Promise<Omit<CountDocument, "wire">> {
		const first = { id, applied: 0, sessions: 0, running: 0 };
		await this.#insert(first);
		return first;
	}

	async #insert(document: Omit<CountDocument, "wire">): Promise<void> {
		await this.#store.insert(sessionCountCollection, { ...document, wire: "{}" }).catch((error: unknown) => {
			if (!(error instanceof DuplicateKeyError)) throw error;
		});
	}

	async #position(): Promise<number> {
		return (await this.#store.get(sessionCountCollection, position))?.applied ?? 0;
	}

	async #after(seq: number): Promise<CountedEvent[]> {
		const range = { equals: [], from: seq + 1 };
		const page = { limit: pageSize, columns: countedColumns };
		return (await this.#store.find(eventLogCollection, "counted", range, page)).documents;
	}
}

function scopesOf(tenant: string, owner: string): string[] {
	return [JSON.stringify([tenant]), JSON.stringify([tenant, owner])];
}

function idsOf({ tenant = "", owner = "" }: Pick<CountedEvent, "tenant" | "owner">): string[] {
	return scopesOf(tenant, owner);
}

/** The events that count for each user and tenant, in their order. */
function byScope(events: readonly CountedEvent[]): Map<string, CountedEvent[]> {
	const found = new Map<string, CountedEvent[]>();
	for (const event of events) {
		for (const id of idsOf(event)) {
			const its = found.get(id);
			if (its) its.push(event);
			else found.set(id, [event]);
		}
	}
	return found;
}

function asCounts({ sessions = 0, running = 0 }: Partial<EventCounts>): EventCounts {
	return { sessions, running };
}

function sum(a: EventCounts | undefined, b: EventCounts): EventCounts {
	return { sessions: (a?.sessions ?? 0) + b.sessions, running: (a?.running ?? 0) + b.running };
}
