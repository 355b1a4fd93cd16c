/** The store in MongoDB, which several processes share. */
import { ServiceError } from "#shared/base/errors.ts";
import type { Collection, Columns, Document } from "./collection.ts";
import { checkChange, checkDocument, checkGuard, checkOutbox } from "./column-rules.ts";
import {
	type Appended,
	type Change,
	type DocumentPage,
	type Documents,
	DuplicateKeyError,
	type Found,
	type Guard,
	maxAppended,
	maxRemoved,
	type OutboxEntry,
	type Range,
} from "./port/documents.ts";
import type { DocumentStore } from "./document-store.ts";
import type { OutboxDocument } from "./port/outbox.ts";
import type { SearchPage } from "./port/search.ts";
import type { Fence } from "./port/fence.ts";
import type { StoreSnapshot } from "./port/lifecycle.ts";
import { PageRoom } from "./pages/page-room.ts";
import { cursorAt, indexQuery, pageColumns, positionAfter } from "./index-query.ts";
import { searchCursor, searchQuery } from "./search-query.ts";
import { MongodbConnection, type Work } from "./mongodb/mongodb-connection.ts";
import { documentOf, projectionOf, storedDocument, type StoredDocument } from "./mongodb/mongodb-document.ts";
import { firstFailure, type Intent, takenKey, translated } from "./mongodb/mongodb-errors.ts";
import { fencedWork } from "./mongodb/mongodb-fence.ts";
import { applyIndexes } from "./mongodb/mongodb-indexes.ts";
import {
	guardFilter,
	nothingAfter,
	outboxClearing,
	outboxTrimming,
	rangeFilter,
	sortOrder,
	updateOperators,
} from "./mongodb/mongodb-query.ts";
import { searchFilter } from "./mongodb/mongodb-search.ts";
import { MongodbSnapshot } from "./mongodb/mongodb-snapshot.ts";
import { marked, newMark, orFound, type WriteMark } from "./mongodb/mongodb-write-mark.ts";

/** The arguments of {@link MongodbStore} in the configuration. */
export interface MongodbStoreOptions {
	/** The connection string; it may contain a password. */
	readonly url: string;
	/** The name of the database; default `atelier`. A database in the URL has to be the same one. */
	readonly database?: string;
}

/** The store in a MongoDB database. Its connections live until it is closed. */
export class MongodbStore implements DocumentStore {
	static readonly kwargs = ["url", "database"];
	readonly isShared = true;
	readonly #connection: MongodbConnection;
	readonly #options: MongodbStoreOptions;
	readonly #fence: Fence | undefined;

	/**
	 * Prepares the connection and does nothing yet. @throws {StartError} when the url is no connection string, or names
	 * another database; the sentence does not repeat the url.
	 * @param fenced The fence of all writes, and the connection to use; absent: there is none, and a new one.
	 */
	constructor(options: MongodbStoreOptions, fenced?: { readonly fence: Fence; readonly by: MongodbConnection }) {
		this.#options = options;
		this.#connection = fenced?.by ?? new MongodbConnection(options.url, options.database ?? "atelier");
		this.#fence = fenced?.fence;
	}

	get place(): string {
		return this.#connection.place;
	}

	fenced(fence: Fence): Documents {
		return new MongodbStore(this.#options, { fence, by: this.#connection });
	}

	async open(collections: readonly Collection[]): Promise<void> {
		try {
			await this.#connection.runPatiently((database) => applyIndexes(database, collections));
		} catch (error) {
			throw this.#placed(error);
		}
	}

	async insert<C extends Columns>(
		collection: Collection<C>,
		document: Document<C>,
		events: readonly OutboxEntry[] = [],
	): Promise<void> {
		checkDocument(collection, document);
		checkOutbox(collection, events);
		const mark = newMark();
		const stored = { ...storedDocument(collection, document, events), ...mark };
		await this.#mark(collection, document.id, mark, (documents, options) => documents.insertOne(stored, options));
	}

	async append<C extends Columns>(collection: Collection<C>, documents: readonly Document<C>[]): Promise<Appended> {
		if (documents.length > maxAppended) throw new RangeError(`At most ${maxAppended} documents are appended at once`);
		for (const document of documents) checkDocument(collection, document);
		if (documents.length === 0) return { inserted: 0 };
		const batch = documents.map((document) => storedDocument(collection, document, []));
		const insertion: Work<Appended> = async (all, options) => ({
			inserted: (await all.insertMany(batch, { ...options, ordered: true })).insertedCount,
		});
		try {
			return await this.#run("write", collection, insertion);
		} catch (error) {
			const clash = takenKey(error);
			const inserted = firstFailure(error);
			if (clash === undefined || inserted === undefined) throw translated(error, "write");
			return { inserted, clash };
		}
	}

	async get<C extends Columns>(
		collection: Collection<C>,
		id: string,
		columns?: readonly (keyof C & string)[],
	): Promise<Document<C> | undefined> {
		const stored = await this.#attempt("read", collection, (documents, options) =>
			documents.findOne({ _id: id }, { ...options, ...projectionOf(collection, columns) }),
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
		checkOutbox(collection, events);
		const filter = guardFilter(id, guard);
		const operators = updateOperators(collection, id, change, events);
		const mark = newMark();
		const stored = await (Object.keys(operators).length > 0
			? this.#mark(collection, id, mark, (documents, options) =>
					documents.findOneAndUpdate(filter, marked(operators, mark), { ...options, returnDocument: "after" }),
				)
			: this.#attempt("write", collection, (documents, options) => documents.findOne(filter, options)));
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
		// One more document than requested tells whether there is a next page.
		const sort = sortOrder(query, descending);
		const room = new PageRoom(limit, maxBytes);
		const members = projectionOf(collection, pageColumns(query, columns));
		return this.#attempt("read", collection, async (documents, options) => {
			const found: Document<C>[] = [];
			const all = { ...options, sort, limit: limit + 1, ...members };
			for await (const stored of documents.find(filter, all)) {
				const last = found.at(-1);
				if (!room.take(stored.wire)) return { documents: found, ...(last && { next: cursorAt(query, last) }) };
				found.push(documentOf(collection, stored));
			}
			return { documents: found };
		});
	}

	readonly versions: Documents["versions"] = async (
		collection,
		index,
		range,
		{ limit, after, descending = false, column },
	) => {
		const query = indexQuery(collection, index, range);
		const position = after === undefined ? undefined : positionAfter(collection, query, after);
		const filter = rangeFilter(query, position, descending);
		const sort = sortOrder(query, descending);
		const stored = await this.#attempt("read", collection, (documents, options) =>
			documents.find(filter, { ...options, sort, limit, projection: { [column]: 1 } }).toArray(),
		);
		return stored.map(({ _id, [column]: value = "" }) => `${_id}:${String(value)}`).join("\n");
	};

	async search<C extends Columns>(
		collection: Collection<C>,
		range: Range,
		{ text, limit, after, columns, maxBytes }: SearchPage<C>,
	): Promise<Found<C>> {
		const search = searchQuery(collection, range, text, after);
		const sort = sortOrder(search.query, true);
		const room = new PageRoom(limit, maxBytes);
		const found: Document<C>[] = [];
		let next = "";
		for (const step of search.steps) {
			const filter = searchFilter(search.query, step, text);
			const isFull = await this.#attempt("read", collection, async (documents, options) => {
				const wanted = { ...options, sort, limit: limit - found.length + 1, ...projectionOf(collection, columns) };
				for await (const stored of documents.find(filter, wanted)) {
					if (!room.take(stored.wire)) return true;
					const document = documentOf(collection, stored);
					found.push(document);
					next = searchCursor(search, step, document);
				}
				return false;
			});
			if (isFull) return { documents: found, next };
		}
		return { documents: found };
	}

	readonly count: Documents["count"] = async (collection, index, range) => {
		const filter = rangeFilter(indexQuery(collection, index, range));
		return this.#attempt("read", collection, (documents, options) => documents.countDocuments(filter, options));
	};

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
			// If `next` no longer exists, another relay has trimmed further than this call would.
			await documents.updateOne({ _id: id, "_outbox.n": next.n }, outboxTrimming(n, next.at), options);
		});
	}

	snapshot(): Promise<StoreSnapshot> {
		const { client, database } = this.#connection.snapshotClient();
		return MongodbSnapshot.take(client, database);
	}

	async ping(): Promise<void> {
		try {
			await this.#connection.ping();
		} catch (error) {
			throw this.#placed(error);
		}
	}

	async time(): Promise<number> {
		try {
			return await this.#connection.time();
		} catch (error) {
			throw translated(error, "read");
		}
	}

	close(): Promise<void> {
		return this.#connection.close();
	}

	/** Returns an error for operators, which names the servers; those of operations are read by clients, and do not. */
	#placed(error: unknown): unknown {
		const meaning = translated(error, "read");
		if (meaning instanceof ServiceError) meaning.message += ` (${this.place})`;
		return meaning;
	}

	/** Makes a write of one document that leaves this mark. */
	#mark<T>(collection: Collection, id: string, mark: WriteMark, write: Work<T>): Promise<T | StoredDocument> {
		const look: Work<StoredDocument | null> = (documents, options) => documents.findOne({ _id: id, ...mark }, options);
		return orFound(
			() => this.#attempt("write", collection, write),
			() => this.#attempt("read", collection, look),
		);
	}

	async #attempt<T>(intent: Intent, collection: Collection, work: Work<T>): Promise<T> {
		try {
			return await this.#run(intent, collection, work);
		} catch (error) {
			const taken = takenKey(error);
			throw taken === undefined ? translated(error, intent) : new DuplicateKeyError(collection.name, taken);
		}
	}

	#run<T>(intent: Intent, { name }: Collection, work: Work<T>): Promise<T> {
		const isFenced = this.#fence && intent === "write";
		return this.#connection.run(name, isFenced ? fencedWork(this.#fence, work) : work);
	}
}
