/** Documents in MongoDB, for several processes. The only file that knows the driver. */
import {
	type Collection as Documents,
	type Db,
	MongoBulkWriteError,
	MongoClient,
	MongoError,
	MongoServerError,
	MongoWriteConcernError,
} from "mongodb";
import { type ServiceError, TimeoutError, UnavailableError, UpstreamError } from "../errors.ts";
import type { Collection, Columns, Document, IndexSpec } from "./collection.ts";
import { checkChange, checkDocument, checkGuard } from "./column-rules.ts";
import {
	type Appended,
	type Change,
	type DocumentStore,
	DuplicateKeyError,
	type Found,
	type Guard,
	maxAppended,
	maxRemoved,
	type OutboxDocument,
	type OutboxEntry,
	type Page,
	type Range,
	type VersionPage,
} from "./document-store.ts";
import { cursorAt, indexQuery, positionAfter } from "./index-query.ts";
import { absentKey, documentOf, storedDocument, type StoredDocument } from "./mongodb-document.ts";
import {
	guardFilter,
	indexKey,
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
} as const;

export interface MongodbStoreOptions {
	/** Connection string; may hold a password. */
	readonly url: string;
	/** Default `atelier`. */
	readonly database?: string;
}

export class MongodbStore implements DocumentStore {
	readonly #client: MongoClient;
	readonly #database: Db;
	readonly #underWay = new Set<Promise<unknown>>();
	#closed = false;

	/** @throws {TypeError} when the url is no connection string; the sentence does not repeat it. */
	constructor({ url, database = "atelier" }: MongodbStoreOptions) {
		this.#client = clientOf(url);
		this.#database = this.#client.db(database);
	}

	async open(collections: readonly Collection[]): Promise<void> {
		for (const collection of collections) {
			await this.#attempt("read", collection, async (documents) => {
				await documents.createIndex({ _outbox_since: 1, _id: 1 }, { name: "_outbox", maxTimeMS });
				for (const [name, spec] of Object.entries(collection.indexes)) await createIndex(documents, name, spec);
			});
		}
	}

	async insert<C extends Columns>(
		collection: Collection<C>,
		document: Document<C>,
		events: readonly OutboxEntry[] = [],
	): Promise<void> {
		checkDocument(collection, document);
		await this.#attempt("write", collection, (documents) =>
			documents.insertOne(storedDocument(collection, document, events), { maxTimeMS }),
		);
	}

	async append<C extends Columns>(collection: Collection<C>, documents: readonly Document<C>[]): Promise<Appended> {
		if (documents.length > maxAppended) throw new RangeError(`At most ${maxAppended} documents are appended at once`);
		for (const document of documents) checkDocument(collection, document);
		if (documents.length === 0) return { inserted: 0 };
		const batch = documents.map((document) => storedDocument(collection, document, []));
		return this.#attempt("write", collection, async (all) => {
			try {
				return { inserted: (await all.insertMany(batch, { ordered: true, maxTimeMS })).insertedCount };
			} catch (error) {
				const clash = takenKey(error);
				const inserted = error instanceof MongoBulkWriteError ? firstFailure(error) : undefined;
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
		const stored = await this.#attempt("read", collection, (documents) =>
			documents.findOne({ _id: id }, { maxTimeMS, ...projectionOf(columns) }),
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
		const filter = guardFilter(id, guard);
		const operators = updateOperators(collection, id, change, events);
		const stored = await this.#attempt("write", collection, (documents) =>
			Object.keys(operators).length > 0
				? documents.findOneAndUpdate(filter, operators, { returnDocument: "after", maxTimeMS })
				: documents.findOne(filter, { maxTimeMS }),
		);
		return stored ? documentOf(collection, stored) : undefined;
	}

	async find<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
		{ limit, after, descending = false, columns }: Page & { readonly columns?: readonly (keyof C & string)[] },
	): Promise<Found<C>> {
		const query = indexQuery(collection, index, range);
		const position = after === undefined ? undefined : positionAfter(collection, query, after);
		const filter = rangeFilter(query, position, descending);
		// One more than asked for tells whether there is a next page.
		const sort = sortOrder(query, descending);
		const options = { sort, limit: limit + 1, maxTimeMS, ...projectionOf(columns) };
		const stored = await this.#attempt("read", collection, (documents) => documents.find(filter, options).toArray());
		const found = stored.slice(0, limit).map((document) => documentOf(collection, document));
		const last = found.at(-1);
		return { documents: found, ...(stored.length > limit && last && { next: cursorAt(query, last) }) };
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
		const options = { sort: sortOrder(query, descending), limit, maxTimeMS, projection: { [column]: 1 } };
		const stored = await this.#attempt("read", collection, (documents) => documents.find(filter, options).toArray());
		return stored.map(({ _id, [column]: value = "" }) => `${_id}:${String(value)}`).join("\n");
	}

	async count<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
	): Promise<number> {
		const filter = rangeFilter(indexQuery(collection, index, range));
		return this.#attempt("read", collection, (documents) => documents.countDocuments(filter, { maxTimeMS }));
	}

	async remove<C extends Columns>(collection: Collection<C>, id: string, guard: Guard<C>): Promise<boolean> {
		checkGuard(collection, guard);
		const filter = guardFilter(id, guard);
		const { deletedCount } = await this.#attempt("write", collection, (documents) =>
			documents.deleteOne(filter, { maxTimeMS }),
		);
		return deletedCount > 0;
	}

	async removeMany(collection: Collection, ids: readonly string[]): Promise<void> {
		if (ids.length > maxRemoved) throw new RangeError(`At most ${maxRemoved} documents are removed at once`);
		await this.#attempt("write", collection, (documents) =>
			documents.deleteMany({ _id: { $in: [...ids] } }, { maxTimeMS }),
		);
	}

	async outbox(collection: Collection, limit: number): Promise<OutboxDocument[]> {
		const filter = { _outbox_since: { $gte: Number.MIN_SAFE_INTEGER } };
		const sort = { _outbox_since: 1, _id: 1 } as const;
		const options = { sort, limit, maxTimeMS, projection: { _outbox: 1 } } as const;
		const waiting = await this.#attempt("read", collection, (documents) => documents.find(filter, options).toArray());
		return waiting.map(({ _id, _outbox = [] }) => ({ id: _id, entries: _outbox }));
	}

	async isWaiting(collection: Collection, id: string): Promise<boolean> {
		const filter = { _id: id, _outbox_since: { $gte: Number.MIN_SAFE_INTEGER } };
		const options = { maxTimeMS, projection: { _id: 1 } } as const;
		return (await this.#attempt("read", collection, (documents) => documents.findOne(filter, options))) !== null;
	}

	async trimOutbox(collection: Collection, id: string, n: number): Promise<void> {
		await this.#attempt("write", collection, async (documents) => {
			const { matchedCount } = await documents.updateOne(nothingAfter(id, n), outboxClearing, { maxTimeMS });
			if (matchedCount > 0) return;
			const stored = await documents.findOne({ _id: id }, { maxTimeMS });
			const next = stored?._outbox?.find((entry) => entry.n > n);
			if (!next) return;
			// When `next` is gone by then, somebody has trimmed further than this.
			await documents.updateOne({ _id: id, "_outbox.n": next.n }, outboxTrimming(n, next.at), { maxTimeMS });
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
		run: (documents: Documents<StoredDocument>) => Promise<T>,
	): Promise<T> {
		const attempt = run(this.#ready().collection<StoredDocument>(name));
		this.#underWay.add(attempt);
		try {
			return await attempt;
		} catch (error) {
			const taken = takenKey(error);
			throw taken === undefined ? translated(error, intent) : new DuplicateKeyError(name, taken);
		} finally {
			this.#underWay.delete(attempt);
		}
	}

	#ready(): Db {
		if (this.#closed) throw new UnavailableError("The store is not open", "STORE_CLOSED");
		return this.#database;
	}
}

function clientOf(url: string): MongoClient {
	try {
		return new MongoClient(url, {
			...bounds,
			appName: "atelier",
			ignoreUndefined: true,
			writeConcern: { w: "majority", journal: true, wtimeoutMS: maxTimeMS },
		});
	} catch {
		// The driver's own sentence may quote the url.
		throw new TypeError("Cannot use the document store: its url is no MongoDB connection string");
	}
}

async function createIndex(documents: Documents<StoredDocument>, name: string, spec: IndexSpec): Promise<void> {
	const create = () => documents.createIndex(indexKey(spec), { name, ...(spec.unique && { unique: true }), maxTimeMS });
	try {
		await create();
	} catch (error) {
		// Documents from before the index was declared may lack its columns.
		if (takenKey(error) === undefined) throw error;
		for (const column of spec.columns) await fillAbsent(documents, column);
		await create();
	}
}

async function fillAbsent(documents: Documents<StoredDocument>, column: string): Promise<void> {
	const lacking = { [column]: { $exists: false } };
	for await (const { _id } of documents.find(lacking, { projection: { _id: 1 } }))
		await documents.updateOne({ _id, ...lacking }, { $set: { [column]: absentKey(_id) } });
}

/** `id` or the unique index that a write clashed with, which only the message names; undefined for any other failure. */
function takenKey(error: unknown): string | undefined {
	if (!(error instanceof MongoServerError) || error.code !== 11_000) return undefined;
	const [, index] = /index: (\S+) dup key/.exec(error.message) ?? [];
	return index === undefined || index === "_id_" ? "id" : index;
}

/** The place of the document that ended an ordered insert; those before it are in. */
function firstFailure({ writeErrors }: MongoBulkWriteError): number | undefined {
	const [first] = [writeErrors].flat();
	return first?.index;
}

type Intent = "read" | "write";

/** Failures before anything was sent, by the driver's names; not all their classes are exported. */
const neverSent = new Set([
	"MongoServerSelectionError",
	"MongoWaitQueueTimeoutError",
	"MongoPoolClearedError",
	"MongoPoolClosedError",
	"MongoTopologyClosedError",
	"MongoNotConnectedError",
]);

/** Server errors that leave open whether a write is done: without a code, out of time, or no longer the primary. */
const undecidedCodes = new Set<unknown>([undefined, 50, 64, 91, 100, 189, 262, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** The driver repeats a write only where the server recognizes the repetition (replica sets); nothing here repeats one. */
function translated(error: unknown, intent: Intent): unknown {
	if (!(error instanceof MongoError)) return error;
	// The driver wraps whatever ends an insert of many, a failure of the network too.
	const { errorResponse = error }: { errorResponse?: unknown } = error instanceof MongoBulkWriteError ? error : {};
	return Object.assign(meaningOf(errorResponse instanceof MongoError ? errorResponse : error, intent), {
		cause: error,
	});
}

function meaningOf(error: MongoError, intent: Intent): ServiceError {
	const { name } = error;
	if (neverSent.has(name) || error.hasErrorLabel("HandshakeError"))
		return new UnavailableError(`Cannot reach the document store: ${name}`, "STORE_UNREACHABLE");
	const undecided = error instanceof MongoWriteConcernError || undecidedCodes.has(error.code);
	if (error instanceof MongoServerError && !undecided)
		return new UpstreamError(`The document store refused: ${name} ${error.code}`, "STORE_REFUSED");
	return intent === "read"
		? new UnavailableError(`The document store did not answer: ${name}`, "STORE_UNREACHABLE")
		: new TimeoutError(`The document store did not confirm, the write may be done: ${name}`, "STORE_UNDECIDED");
}

function projectionOf(columns: readonly string[] | undefined): { projection?: Record<string, 1> } {
	return columns ? { projection: Object.fromEntries(["wire", ...columns].map((name) => [name, 1])) } : {};
}
