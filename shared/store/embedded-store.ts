/** The default store: one SQLite file, used by one process. Reads are synchronous; writes are committed in groups. */
import { monotonic } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { makingRoom } from "#shared/base/files/making-room.ts";
import type { Collection, Columns, Document } from "./collection.ts";
import { checkChange, checkDocument, checkGuard, checkOutbox } from "./column-rules.ts";
import {
	type Appended,
	type DocumentPage,
	type Documents,
	DuplicateKeyError,
	type Found,
	type Guard,
	maxAppended,
	maxRemoved,
	type Range,
} from "./port/documents.ts";
import type { CausedEvents, OutboxDocument } from "./port/outbox.ts";
import type { DocumentStore } from "./document-store.ts";
import type { SearchPage } from "./port/search.ts";
import type { StoreSnapshot } from "./port/lifecycle.ts";
import { EmbeddedCopies } from "./embedded/embedded-copies.ts";
import { duplicateKey, EmbeddedDatabase } from "./embedded/embedded-database.ts";
import { snapshotOfFolder } from "./embedded/embedded-foreign.ts";
import { insertAll } from "./embedded/embedded-insertions.ts";
import {
	countSelection,
	outboxOf,
	outboxSelection,
	pageSelection,
	selection,
	versionSelection,
} from "./embedded/embedded-reads.ts";
import { stepHits } from "./embedded/embedded-search.ts";
import { documentOf, entriesOf, memberList } from "./embedded/embedded-sql.ts";
import { EmbeddedTransactions } from "./embedded/embedded-transactions.ts";
import {
	assignments,
	deletion,
	deletions,
	insertion,
	outboxClearing,
	outboxReplacement,
	updating,
} from "./embedded/embedded-writes.ts";
import { PageRoom } from "./pages/page-room.ts";
import { cursorAt, indexQuery, pageColumns, positionAfter } from "./index-query.ts";
import { searchCursor, searchQuery } from "./search-query.ts";
import { RowCache } from "./row-cache.ts";
import { WriteQueue } from "./embedded/write-queue.ts";

/** The arguments of {@link EmbeddedStore} in the configuration. */
export interface EmbeddedStoreOptions {
	/** The folder of the file; it is created when absent. */
	readonly folder: string;
	/** The room in MB that the file keeps for the time when the disk is full; default none. */
	readonly reserve_mb?: number;
}

interface Opened {
	readonly database: EmbeddedDatabase;
	readonly queue: WriteQueue;
	readonly rows: RowCache;
	readonly copies: EmbeddedCopies;
	readonly transactions: EmbeddedTransactions;
}

/** The store in a SQLite file. It locks the file until it is closed. */
export class EmbeddedStore implements DocumentStore {
	readonly isShared = false;
	readonly #folder: string;
	readonly #reserveBytes: number;
	#opened: Opened | undefined;

	constructor({ folder, reserve_mb = 0 }: EmbeddedStoreOptions) {
		this.#folder = folder;
		this.#reserveBytes = reserve_mb * 1_000_000;
	}

	async open(collections: readonly Collection[]): Promise<void> {
		const database = new EmbeddedDatabase(this.#folder, collections, this.#reserveBytes);
		const copies = new EmbeddedCopies(database, this.#folder);
		const queue = new WriteQueue(database);
		const transactions = new EmbeddedTransactions(database, queue);
		this.#opened = { database, queue, rows: new RowCache(), copies, transactions };
		await copies.listen();
	}

	readonly insert: Documents["insert"] = async (collection, document, events = []) => {
		checkDocument(collection, document);
		checkOutbox(collection, events);
		const { id } = document;
		const { waiting } = this.#ready().transactions;
		const insertions = [{ id, statement: insertion(collection, document, waiting(events)) }];
		const insertOne = (database: EmbeddedDatabase): true => {
			const { clash } = insertAll(database, collection, insertions);
			if (clash !== undefined) throw new DuplicateKeyError(collection.name, clash);
			return true;
		};
		await this.#write(insertOne, { collection, id, events });
	};

	async append<C extends Columns>(collection: Collection<C>, documents: readonly Document<C>[]): Promise<Appended> {
		if (documents.length > maxAppended) throw new RangeError(`At most ${maxAppended} documents are appended at once`);
		for (const document of documents) checkDocument(collection, document);
		const insertions = documents.map((document) => ({
			id: document.id,
			statement: insertion(collection, document, []),
		}));
		const { transactions } = this.#ready();
		return this.#write((database) => {
			transactions.appended(collection);
			return insertAll(database, collection, insertions);
		});
	}

	readonly get: Documents["get"] = async (collection, id, columns) => {
		const { database, rows } = this.#ready();
		const statement = selection(collection, id, columns);
		const known = rows.get(collection.name, id, statement.text);
		const row = known ?? database.first(statement);
		if (row && !known) rows.store(collection.name, id, statement.text, row);
		return row && documentOf(collection, row);
	};

	readonly update: Documents["update"] = async (collection, id, guard, change, events = []) => {
		checkGuard(collection, guard);
		checkChange(collection, change);
		checkOutbox(collection, events);
		const { waiting } = this.#ready().transactions;
		const statement = updating(collection, id, guard, assignments(collection, change, waiting(events)));
		const updateOne = (database: EmbeddedDatabase, rows: RowCache) => {
			rows.forget(collection.name, id);
			try {
				const row = database.first(statement);
				return row && documentOf(collection, row);
			} catch (error) {
				throw duplicateKey(collection, error) ?? error;
			}
		};
		return this.#write(updateOne, { collection, id, events });
	};

	async find<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
		{ limit, after, descending = false, columns, maxBytes }: DocumentPage<C>,
	): Promise<Found<C>> {
		const query = indexQuery(collection, index, range);
		const position = after === undefined ? undefined : positionAfter(collection, query, after);
		// One more document than requested tells whether there is a next page.
		const order = { descending, after: position, limit: limit + 1 };
		const members = memberList(collection, pageColumns(query, columns));
		const statement = pageSelection(collection, query, order, members);
		// Reading all rows at once is cheaper, and is done where the caller sets no bound of bytes.
		const rows = maxBytes === undefined ? this.#database.all(statement) : this.#database.each(statement);
		const room = new PageRoom(limit, maxBytes);
		const documents: Document<C>[] = [];
		let next: string | undefined;
		for (const row of rows) {
			const document = documentOf(collection, row);
			const last = documents.at(-1);
			if (!room.take(document.wire)) {
				next = last && cursorAt(query, last);
				break;
			}
			documents.push(document);
		}
		if (collection.isReadDurably) await this.#ready().queue.durable();
		return { documents, ...(next !== undefined && { next }) };
	}

	readonly versions: Documents["versions"] = async (
		collection,
		index,
		range,
		{ limit, after, descending = false, column },
	) => {
		const query = indexQuery(collection, index, range);
		const position = after === undefined ? undefined : positionAfter(collection, query, after);
		const order = { descending, after: position, limit };
		const lines = this.#database.first(versionSelection(collection, query, column, order))?.["lines"];
		return typeof lines === "string" ? lines : "";
	};

	async search<C extends Columns>(
		collection: Collection<C>,
		range: Range,
		{ text, limit, after, columns, maxBytes }: SearchPage<C>,
	): Promise<Found<C>> {
		const { database } = this.#ready();
		const search = searchQuery(collection, range, text, after);
		const since = monotonic();
		const room = new PageRoom(limit, maxBytes);
		const documents: Document<C>[] = [];
		let next = "";
		for (const step of search.steps) {
			const wanted = limit - documents.length + 1;
			const { ids, examined } = await stepHits(
				database,
				{ collection, query: search.query, step, text },
				wanted,
				since,
			);
			for (const id of ids) {
				const row = this.#database.first(selection(collection, id, columns));
				if (!row) continue;
				const document = documentOf(collection, row);
				if (!room.take(document.wire)) return { documents, next };
				documents.push(document);
				next = searchCursor(search, step, document);
			}
			if (examined) return { documents, next: searchCursor(search, step, examined) };
		}
		return { documents };
	}

	readonly count: Documents["count"] = async (collection, index, range) => {
		return Number(this.#database.first(countSelection(collection, indexQuery(collection, index, range)))?.["count"]);
	};

	async remove<C extends Columns>(collection: Collection<C>, id: string, guard: Guard<C>): Promise<boolean> {
		checkGuard(collection, guard);
		const statement = deletion(collection, id, guard);
		return this.#removal((database, rows) => {
			rows.forget(collection.name, id);
			return database.run(statement) > 0;
		});
	}

	async removeMany(collection: Collection, ids: readonly string[]): Promise<void> {
		if (ids.length > maxRemoved) throw new RangeError(`At most ${maxRemoved} documents are removed at once`);
		await this.#removal((database, rows) => {
			for (const id of ids) rows.forget(collection.name, id);
			database.run(deletions(collection, ids));
		});
	}

	async outbox(collection: Collection, limit: number): Promise<OutboxDocument[]> {
		return this.#database.all(outboxSelection(collection, limit)).map(({ id, _outbox }) => ({
			id: String(id),
			entries: entriesOf(_outbox),
		}));
	}

	async isWaiting(collection: Collection, id: string): Promise<boolean> {
		return entriesOf(this.#database.first(outboxOf(collection, id))?.["_outbox"]).length > 0;
	}

	trimOutbox(collection: Collection, id: string, n: number): Promise<void> {
		return this.#removal((database) => {
			// Mostly nothing has come meanwhile, and then the events need not be read.
			if (database.run(outboxClearing(collection, id, n)) > 0) return;
			const entries = entriesOf(database.first(outboxOf(collection, id))?.["_outbox"]);
			const later = entries.filter((entry) => entry.n > n);
			if (later.length < entries.length) database.run(outboxReplacement(collection, id, later));
		});
	}

	snapshot(): Promise<StoreSnapshot> {
		return this.#opened ? this.#opened.copies.snapshot() : snapshotOfFolder(this.#folder);
	}

	async ping(): Promise<void> {
		this.#database.refuseDamage();
		this.#database.first({ text: "SELECT 1", values: [] });
	}

	async close(): Promise<void> {
		const opened = this.#opened;
		if (!opened) return;
		this.#opened = undefined;
		await opened.queue.settled();
		await opened.copies.close();
		opened.database.close();
	}

	/**
	 * Runs a write in the queue. @param run The write, which also removes the rows it changes from the cache.
	 * @param caused The events of the write, unless its result is undefined: it then changed nothing.
	 */
	async #write<T>(run: (database: EmbeddedDatabase, rows: RowCache) => T, caused?: CausedEvents): Promise<T> {
		const { database, queue, rows, transactions } = this.#ready();
		return queue.add(() => transactions.entering(caused, () => run(database, rows)));
	}

	/** Runs a write that only removes, which is taken on a full disk too. */
	#removal<T>(run: (database: EmbeddedDatabase, rows: RowCache) => T): Promise<T> {
		return makingRoom(() => this.#write(run));
	}

	get transactions(): EmbeddedTransactions {
		return this.#ready().transactions;
	}

	get #database(): EmbeddedDatabase {
		return this.#ready().database;
	}

	#ready(): Opened {
		if (!this.#opened) throw new UnavailableError("The store is not open", "STORE_CLOSED");
		return this.#opened;
	}
}
