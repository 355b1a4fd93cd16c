/**
 * The ordered log of events. The relay appends to it, or the store that enters events itself (transaction-logs.ts); the
 * services tail it.
 */
import { randomBytes } from "node:crypto";
import { fitsJson } from "#shared/base/schema/json-size.ts";
import { now } from "#shared/base/clock.ts";
import type { LogEntry, LogHead } from "#shared/contracts/event-log.ts";
import type { Collection, Document } from "../collection.ts";
import { type Audience, maxAppended, maxRemoved, type OutboxEntry } from "../port/documents.ts";
import type { DocumentStore } from "../document-store.ts";
import { appendWithoutGaps } from "../append-without-gaps.ts";
import { insertOnce } from "../insert-once.ts";
import { readPages } from "../pages/read-pages.ts";
import { eventLogCollection, eventLogNameCollection } from "./event-log-collection.ts";

/** The bytes of payloads in one answer. An answer must fit into a message on the bus (900 KB) with its envelope. */
const maxReadBytes = 600_000;
/** The bytes around a payload, without its names, which may be long. */
const frameBytes = 100;
const maxFrameBytes = 250_000;
/** The longest escape of one character of a name. */
const escapedBytes = 6;
const retentionMs = 3_600_000;
const retainedEntries = 20_000;
/** The most entries and bytes of payloads that are retained, whatever their age. */
const mostRetained = { entries: 100_000, bytes: 64_000_000 } as const;
/** The entries that are looked at in one step. */
const stepEntries = 1_000;

const countedColumns = ["seq", "counted_seq", "tenant", "owner", "counters"] as const;

/** The type of an entry in the place of an event that is lost or does not fit into a message. */
const skippedType = "skipped";

type LogDocument = Document<(typeof eventLogCollection)["columns"]>;

/** The changes of one event to the counters of its audience. */
export interface CountedEvent {
	readonly key: string;
	readonly seq: number;
	readonly audience: Audience;
	readonly counters: Readonly<Record<string, number>>;
}

export function entryKey({ name }: Collection, id: string, n: number): string {
	return `${name}:${id}:${n}`;
}

/** An event with the key that makes it unique in the log. */
export interface KeyedEntry {
	readonly key: string;
	readonly entry: OutboxEntry;
}

/** The event log on a store. It owns nothing: the process opens and closes the store. */
export class EventLog {
	readonly #store: DocumentStore;
	#epoch: string | undefined;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	async head(): Promise<LogHead> {
		const [epoch, newest, oldest] = await Promise.all([this.#named(), this.#edge(true), this.#edge(false)]);
		return { epoch, seq: newest ?? 0, oldest: oldest ?? 1 };
	}

	/**
	 * Returns the entries after `after` in order; ends before a gap and before the answer gets too large. A gap
	 * directly behind `after` is filled with entries that are marked as skipped, for the next reading.
	 */
	async read(after: number, limit: number): Promise<LogEntry[]> {
		const range = { equals: [], from: after + 1 };
		const page = { limit, maxBytes: maxReadBytes };
		const { documents } = await this.#store.find(eventLogCollection, "by_seq", range, page);
		await this.#mend(after, documents[0]?.seq);
		const entries: LogEntry[] = [];
		let bytes = 0;
		for (const document of documents) {
			const entry = entryOf(document);
			bytes += surroundingBytes(entry);
			if (entry.seq !== after + 1 + entries.length || (entries.length > 0 && bytes > maxFrameBytes)) break;
			// The store returns at least one document, however large; all others fit.
			const isFitting = entries.length > 0 || fitsJson(entry.data, maxReadBytes);
			entries.push(isFitting ? entry : entryOf(skippedDocument(entry.seq)));
		}
		return entries;
	}

	/** Returns the events after `after` that have counters, in order. */
	async counted(after: number, limit: number): Promise<CountedEvent[]> {
		const page = { limit, columns: countedColumns };
		const range = { equals: [], from: after + 1 };
		return (await this.#store.find(eventLogCollection, "counted", range, page)).documents.map(countedEventOf);
	}

	/** Appends the entries that the log does not have yet, in order; resolves to the newest sequence number. */
	async append(entries: readonly KeyedEntry[]): Promise<number> {
		const newest = async () => (await this.#edge(true)) ?? 0;
		const append = (documents: readonly LogDocument[]) => this.#store.append(eventLogCollection, documents);
		const log = { what: "The event log", newest, rowOf: documentOf, append };
		const { seq, repeated } = await appendWithoutGaps(log, entries);
		// Another relay appended the repeated entries and may have died before announcing them, so the newest number is
		// read again.
		return repeated === 0 ? seq : newest();
	}

	/** Returns the number of the entry with this key; undefined when the log does not have it. */
	async seqOf(key: string): Promise<number | undefined> {
		return (await this.#store.get(eventLogCollection, key, ["seq"]))?.seq;
	}

	/**
	 * Removes entries up to `floor` that are older than an hour and not among the newest 20,000; and those beyond the newest
	 * 100,000 or 64 MB, whatever their age.
	 */
	async trim(floor = Infinity): Promise<void> {
		const newest = (await this.#edge(true)) ?? 0;
		const surplus = await this.#surplus();
		await this.#removeUpTo(Math.min(floor, surplus), () => true);
		await this.#removeUpTo(Math.min(floor, newest - retainedEntries), ({ at = 0 }) => at < now() - retentionMs);
	}

	/** Returns the number of the newest entry that is too much; 0 when there is none. */
	async #surplus(): Promise<number> {
		const newest = { equals: [], limit: stepEntries, descending: true, columns: ["seq", "bytes"] } as const;
		let entries = 0;
		let bytes = 0;
		for await (const page of readPages(this.#store, eventLogCollection, "by_seq", newest))
			for (const { seq = 0, bytes: its = 0 } of page) {
				entries++;
				bytes += its;
				if (entries > mostRetained.entries || bytes > mostRetained.bytes) return seq;
			}
		return 0;
	}

	/** Removes the oldest entries up to a number, as long as they are to go. */
	async #removeUpTo(to: number, isToGo: (document: Pick<LogDocument, "at">) => boolean): Promise<void> {
		const range = { equals: [], to };
		for (;;) {
			const page = { limit: maxRemoved, columns: ["at"] as const };
			const { documents } = await this.#store.find(eventLogCollection, "by_seq", range, page);
			const old = documents.filter(isToGo);
			await this.#store.removeMany(
				eventLogCollection,
				old.map(({ id }) => id),
			);
			if (old.length < maxRemoved) return;
		}
	}

	/**
	 * Fills a gap in the sequence. Relays append behind the newest entry and cannot leave a gap; a restored backup can,
	 * and so can a server that lost confirmed writes.
	 */
	async #mend(after: number, next = after + 1): Promise<void> {
		if (next === after + 1) return;
		// Missing entries in front of the oldest one are no gap: they were trimmed.
		if (((await this.#edge(false)) ?? next) > after) return;
		const missing = Math.min(next - after - 1, maxAppended);
		const skipped = Array.from({ length: missing }, (_, index) => skippedDocument(after + 1 + index));
		await this.#store.append(eventLogCollection, skipped);
	}

	async #edge(descending: boolean): Promise<number | undefined> {
		const { documents } = await this.#store.find(
			eventLogCollection,
			"by_seq",
			{ equals: [] },
			{ limit: 1, descending, columns: ["seq"] },
		);
		return documents[0]?.seq;
	}

	/** Returns the epoch; the first process that asks chooses it. */
	async #named(): Promise<string> {
		this.#epoch ??= (await this.#stored()) ?? (await this.#choose());
		return this.#epoch;
	}

	async #choose(): Promise<string> {
		const epoch = randomBytes(4).toString("hex");
		await insertOnce(() => this.#store.insert(eventLogNameCollection, { id: "log", wire: "{}", epoch }));
		return (await this.#stored()) ?? epoch;
	}

	async #stored(): Promise<string | undefined> {
		return (await this.#store.get(eventLogNameCollection, "log"))?.epoch;
	}
}

/** Returns the document of an event. Its key is its id. */
export function documentOf({ key, entry }: KeyedEntry, seq: number): LogDocument {
	const { type, data, audience, at, counters } = entry;
	return {
		id: key,
		wire: data,
		seq,
		type,
		tenant: audience.tenant,
		at,
		bytes: Buffer.byteLength(data),
		...(audience.owner !== undefined && { owner: audience.owner }),
		...(counters && { counters, counted_seq: seq }),
	};
}

/** The content depends on `seq` only, so processes that fill the same gap write the same documents. */
function skippedDocument(seq: number): LogDocument {
	return { id: `${skippedType}:${seq}`, wire: "{}", seq, type: skippedType, tenant: "", at: now() };
}

/** Returns an upper bound of the bytes around an entry's payload. */
function surroundingBytes({ type, tenant, owner = "" }: LogEntry): number {
	return frameBytes + escapedBytes * (type.length + tenant.length + owner.length);
}

function countedEventOf({ id, seq = 0, tenant = "", owner, counters }: LogDocument): CountedEvent {
	const audience = { tenant, ...(owner !== undefined && { owner }) };
	return { key: id, seq, audience, counters: (counters ?? {}) as CountedEvent["counters"] };
}

function entryOf({ wire, seq = 0, type = "", tenant = "", owner, at = 0 }: LogDocument): LogEntry {
	const isSkipped = type === skippedType;
	const known = { at, ...(owner !== undefined && { owner }) };
	return { seq, type, data: wire, tenant, ...known, ...(isSkipped && { skipped: true }) };
}
