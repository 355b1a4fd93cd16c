/**
 * Documents in MongoDB, for several processes. What is read is on a majority of the servers and no older than anything this
 * process has read or written before, so that nothing is built on what a failover takes back (docs/decisions/0021).
 */
import {
	type ClientSession,
	type Collection as Documents,
	type Db,
	MongoClient,
	type MongoClientOptions,
	type Timestamp,
} from "mongodb";
import { UnavailableError } from "../errors.ts";
import type { Collection, Columns, Document } from "./collection.ts";
import { checkChange, checkDocument, checkGuard } from "./column-rules.ts";
import {
	type Appended,
	type Change,
	type DocumentPage,
	type DocumentStore,
	DuplicateKeyError,
	type Found,
	type Guard,
	maxAppended,
	maxRemoved,
	type OutboxDocument,
	type OutboxEntry,
	type Range,
	type VersionPage,
} from "./document-store.ts";
import { refuseLargeEvents } from "./event-size.ts";
import { PageRoom } from "./page-room.ts";
import { cursorAt, indexQuery, positionAfter } from "./index-query.ts";
import { documentOf, storedDocument, type StoredDocument } from "./mongodb-document.ts";
import { firstFailure, type Intent, takenKey, translated } from "./mongodb-errors.ts";
import { applyIndexes } from "./mongodb-indexes.ts";
import {
	guardFilter,
	nothingAfter,
	outboxClearing,
	outboxTrimming,
	rangeFilter,
	sortOrder,
	updateOperators,
} from "./mongodb-query.ts";

/** Longest that the server works on one operation. */
const maxTimeMS = 2_000;

const bounds = {
	serverSelectionTimeoutMS: 2_000,
	connectTimeoutMS: 2_000,
	waitQueueTimeoutMS: 2_000,
	/** Longer than any operation may take: a server that says nothing for so long is gone. */
	socketTimeoutMS: 5_000,
	maxPoolSize: 50,
	writeConcern: { w: "majority", journal: true, wtimeoutMS: maxTimeMS },
} as const;

/** For what takes as long as there are documents. */
const patient = {
	...bounds,
	socketTimeoutMS: 0,
	writeConcern: { w: "majority", journal: true },
} as const;

/** Of every operation. */
interface Options {
	readonly session: ClientSession;
	readonly maxTimeMS: number;
}

export interface MongodbStoreOptions {
	/** Connection string; may hold a password. */
	readonly url: string;
	/** Default `atelier`. */
	readonly database?: string;
}

export class MongodbStore implements DocumentStore {
	readonly #url: string;
	readonly #client: MongoClient;
	readonly #database: Db;
	readonly #underWay = new Set<Promise<unknown>>();
	/** When the newest was written that this process knows of, by the servers' clock; a server alone does not say. */
	#seen: Timestamp | undefined;
	#closed = false;

	/** @throws {TypeError} when the url is no connection string; the sentence does not repeat it. */
	constructor({ url, database = "atelier" }: MongodbStoreOptions) {
		this.#url = url;
		this.#client = clientOf(url, bounds);
		this.#database = this.#client.db(database);
	}

	async open(collections: readonly Collection[]): Promise<void> {
		const client = clientOf(this.#url, patient);
		try {
			await applyIndexes(client.db(this.#database.databaseName), collections);
		} catch (error) {
			throw translated(error, "read");
		} finally {
			await client.close();
		}
	}

	async insert<C extends Columns>(
		collection: Collection<C>,
		document: Document<C>,
		events: readonly OutboxEntry[] = [],
	): Promise<void> {
		checkDocument(collection, document);
		refuseLargeEvents(events);
		await this.#attempt("write", collection, (documents, options) =>
			documents.insertOne(storedDocument(collection, document, events), options),
		);
	}

	async append<C extends Columns>(collection: Collection<C>, documents: readonly Document<C>[]): Promise<Appended> {
		if (documents.length > maxAppended) throw new RangeError(`At most ${maxAppended} documents are appended at once`);
		for (const document of documents) checkDocument(collection, document);
		if (documents.length === 0) return { inserted: 0 };
		const batch = documents.map((document) => storedDocument(collection, document, []));
		return this.#attempt("write", collection, async (all, options) => {
			try {
				return { inserted: (await all.insertMany(batch, { ...options, ordered: true })).insertedCount };
			} catch (error) {
				const clash = takenKey(error);
				const inserted = firstFailure(error);
				if (clash === undefined || inserted === undefined) throw error;
				return { inserted, clash };
			}
		});
	}

	async get<C extends Columns>(
		collection: Collection<C>,
		id: string,
		columns?: readonly (keyof C & string)[],
	): Promise<Document<C> | undefined> {
		const stored = await this.#attempt("read", collection, (documents, options) =>
			documents.findOne({ _id: id }, { ...options, ...projectionOf(columns) }),
		);
		return stored ? documentOf(collection, stored) : undefined;
	}

	async update<C extends Columns>(
		collection: Collection<C>,
		id: string,
		guard: Guard<C>,
		change: Change<C>,
		events: readonly OutboxEntry[] = [],
	): Promise<Document<C> | undefined> {
		checkGuard(collection, guard);
		checkChange(collection, change);
		refuseLargeEvents(events);
		const filter = guardFilter(id, guard);
		const operators = updateOperators(collection, id, change, events);
		const stored = await this.#attempt("write", collection, (documents, options) =>
			Object.keys(operators).length > 0
				? documents.findOneAndUpdate(filter, operators, { ...options, returnDocument: "after" })
				: documents.findOne(filter, options),
		);
		return stored ? documentOf(collection, stored) : undefined;
	}

	async find<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
		{ limit, after, descending = false, columns, maxBytes }: DocumentPage<C>,
	): Promise<Found<C>> {
		const query = indexQuery(collection, index, range);
		const position = after === undefined ? undefined : positionAfter(collection, query, after);
		const filter = rangeFilter(query, position, descending);
		// One more than asked for tells whether there is a next page.
		const sort = sortOrder(query, descending);
		const room = new PageRoom(limit, maxBytes);
		return this.#attempt("read", collection, async (documents, options) => {
			const found: Document<C>[] = [];
			const all = { ...options, sort, limit: limit + 1, ...projectionOf(columns) };
			for await (const stored of documents.find(filter, all)) {
				const last = found.at(-1);
				if (!room.take(stored.wire)) return { documents: found, ...(last && { next: cursorAt(query, last) }) };
				found.push(documentOf(collection, stored));
			}
			return { documents: found };
		});
	}

	async versions<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
		{ limit, after, descending = false, column }: VersionPage<C>,
	): Promise<string> {
		const query = indexQuery(collection, index, range);
		const position = after === undefined ? undefined : positionAfter(collection, query, after);
		const filter = rangeFilter(query, position, descending);
		const sort = sortOrder(query, descending);
		const stored = await this.#attempt("read", collection, (documents, options) =>
			documents.find(filter, { ...options, sort, limit, projection: { [column]: 1 } }).toArray(),
		);
		return stored.map(({ _id, [column]: value = "" }) => `${_id}:${String(value)}`).join("\n");
	}

	async count<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
	): Promise<number> {
		const filter = rangeFilter(indexQuery(collection, index, range));
		return this.#attempt("read", collection, (documents, options) => documents.countDocuments(filter, options));
	}

	async remove<C extends Columns>(collection: Collection<C>, id: string, guard: Guard<C>): Promise<boolean> {
		checkGuard(collection, guard);
		const filter = guardFilter(id, guard);
		const { deletedCount } = await this.#attempt("write", collection, (documents, options) =>
			documents.deleteOne(filter, options),
		);
		return deletedCount > 0;
	}

	async removeMany(collection: Collection, ids: readonly string[]): Promise<void> {
		if (ids.length > maxRemoved) throw new RangeError(`At most ${maxRemoved} documents are removed at once`);
		await this.#attempt("write", collection, (documents, options) =>
			documents.deleteMany({ _id: { $in: [...ids] } }, options),
		);
	}

	async outbox(collection: Collection, limit: number): Promise<OutboxDocument[]> {
		const filter = { _outbox_since: { $gte: Number.MIN_SAFE_INTEGER } };
		const sort = { _outbox_since: 1, _id: 1 } as const;
		const waiting = await this.#attempt("read", collection, (documents, options) =>
			documents.find(filter, { ...options, sort, limit, projection: { _outbox: 1 } }).toArray(),
		);
		return waiting.map(({ _id, _outbox = [] }) => ({ id: _id, entries: _outbox }));
	}

	async isWaiting(collection: Collection, id: string): Promise<boolean> {
		const filter = { _id: id, _outbox_since: { $gte: Number.MIN_SAFE_INTEGER } };
		const stored = await this.#attempt("read", collection, (documents, options) =>
			documents.findOne(filter, { ...options, projection: { _id: 1 } }),
		);
		return stored !== null;
	}

	async trimOutbox(collection: Collection, id: string, n: number): Promise<void> {
		await this.#attempt("write", collection, async (documents, options) => {
			const { matchedCount } = await documents.updateOne(nothingAfter(id, n), outboxClearing, options);
			if (matchedCount > 0) return;
			const stored = await documents.findOne({ _id: id }, options);
			const next = stored?._outbox?.find((entry) => entry.n > n);
			if (!next) return;
			// When `next` is gone by then, somebody has trimmed further than this.
			await documents.updateOne({ _id: id, "_outbox.n": next.n }, outboxTrimming(n, next.at), options);
		});
	}

	async ping(): Promise<void> {
		try {
			await this.#ready().command({ ping: 1, maxTimeMS });
		} catch (error) {
			throw translated(error, "read");
		}
	}

	async close(): Promise<void> {
		this.#closed = true;
		// The driver would break off what is under way.
		await Promise.allSettled(this.#underWay);
		await this.#client.close();
	}

	async #attempt<T>(
		intent: Intent,
		{ name }: Collection,
		run: (documents: Documents<StoredDocument>, options: Options) => Promise<T>,
	): Promise<T> {
		const documents = this.#ready().collection<StoredDocument>(name);
		const session = this.#client.startSession();
		if (this.#seen) session.advanceOperationTime(this.#seen);
		const attempt = run(documents, { session, maxTimeMS });
		this.#underWay.add(attempt);
		try {
			const result = await attempt;
			this.#see(session.operationTime);
			return result;
		} catch (error) {
			const taken = takenKey(error);
			throw taken === undefined ? translated(error, intent) : new DuplicateKeyError(name, taken);
		} finally {
			this.#underWay.delete(attempt);
			await session.endSession();
		}
	}

	/** Only what is on a majority: nobody could wait for what a failover took back. */
	#see(at: Timestamp | undefined): void {
		if (at && (!this.#seen || at.greaterThan(this.#seen))) this.#seen = at;
	}

	#ready(): Db {
		if (this.#closed) throw new UnavailableError("The store is not open", "STORE_CLOSED");
		return this.#database;
	}
}

function clientOf(url: string, options: MongoClientOptions): MongoClient {
	try {
		return new MongoClient(url, {
			...options,
			appName: "atelier",
			ignoreUndefined: true,
			readConcern: { level: "majority" },
			readPreference: "primary",
		});
	} catch {
		// The driver's own sentence may quote the url.
		throw new TypeError("Cannot use the document store: its url is no MongoDB connection string");
	}
}

function projectionOf(columns: readonly string[] | undefined): { projection?: Record<string, 1> } {
	return columns ? { projection: Object.fromEntries(["wire", ...columns].map((name) => [name, 1])) } : {};
}
