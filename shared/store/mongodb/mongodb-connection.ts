/**
 * The connection of one process to MongoDB. Reads see only data that a majority of the servers has and that is no older
 * than anything this process has read or written before, so no decision is based on data that a failover removes
 * (docs/decisions/0021).
 */
import { bound } from "#shared/base/bounds.ts";
import {
	type ClientSession,
	type Collection as Documents,
	type Db,
	MongoClient,
	type MongoClientOptions,
	type Timestamp,
} from "mongodb";
import { UnavailableError } from "#shared/base/errors.ts";
import { StartError } from "#shared/base/start-error.ts";
import { TimeLimits } from "#shared/base/concurrency/time-limits.ts";
import type { StoredDocument } from "./mongodb-document.ts";
import { isQueueTimeout, isUnsent, NoAnswerError, NoConnectionError } from "./mongodb-errors.ts";

/** The longest time that the server works on one operation, in milliseconds. */
const maxTimeMS = 2_000;

const bounds = {
	serverSelectionTimeoutMS: 2_000,
	connectTimeoutMS: 2_000,
	waitQueueTimeoutMS: 2_000,
	/** This is longer than any operation may take: a server that is silent for so long is considered dead. */
	socketTimeoutMS: 5_000,
	maxPoolSize: bound.storeConnections,
	writeConcern: { w: "majority", journal: true, wtimeoutMS: maxTimeMS },
} as const;

/**
 * The longest time of one operation with all that the driver repeats, in milliseconds. Callers wait 8 s for a request: they
 * learn of a silent store only if an operation ends before that.
 */
const operationMs = bounds.socketTimeoutMS;

/** The bounds of operations whose duration grows with the number of documents. */
const patient = {
	...bounds,
	socketTimeoutMS: 0,
	writeConcern: { w: "majority", journal: true },
} as const;

/** The reads of everything except snapshots, which have a read concern of their own. */
const majority = { readConcern: { level: "majority" } } as const;

export interface OperationOptions {
	readonly session: ClientSession;
	readonly maxTimeMS: number;
}

/** @param database The database, for work with another collection too. */
export type Work<T> = (all: Documents<StoredDocument>, options: OperationOptions, database: Db) => Promise<T>;

/** The client of one process with its causal time. The store that made it closes it. */
export class MongodbConnection {
	readonly #url: string;
	readonly #client: MongoClient;
	readonly #database: Db;
	readonly #underWay = new Set<Promise<unknown>>();
	readonly #limits = new TimeLimits();
	readonly #operationMs: number;
	/**
	 * The time, by the servers' clock, of the newest write that this process knows of; a server without a replica set
	 * reports none.
	 */
	#seen: Timestamp | undefined;
	#closed = false;

	/**
	 * Prepares the client and does not connect yet. @throws {StartError} when the url is no connection string, or names
	 * another database; the sentence does not repeat the url.
	 * @param options.operationMs The longest time of one operation in milliseconds; default 5,000.
	 */
	constructor(url: string, database: string, options: { readonly operationMs?: number } = {}) {
		this.#url = url;
		this.#operationMs = options.operationMs ?? operationMs;
		this.#client = clientOf(url, { ...majority, ...bounds });
		refuseOtherDatabase(url, database);
		this.#database = this.#client.db(database);
	}

	/**
	 * Runs one operation. One that takes too long goes on, because the driver cannot be told to end it, and nobody waits for it.
	 * @throws {Error} the driver's error; {NoAnswerError} when it takes too long; {NoConnectionError}; {UnavailableError} after
	 * `close`.
	 */
	async run<T>(name: string, work: Work<T>): Promise<T> {
		const operation = this.#operation(this.#ready().collection<StoredDocument>(name), work);
		this.#underWay.add(operation);
		const over = Promise.withResolvers<never>();
		const limit = this.#limits.begin(this.#operationMs, () => over.reject(new NoAnswerError()));
		const forget = () => {
			limit.cancel();
			this.#underWay.delete(operation);
		};
		void operation.then(forget, forget);
		return Promise.race([operation, over.promise]);
	}

	async #operation<T>(documents: Documents<StoredDocument>, work: Work<T>): Promise<T> {
		const hasRoom = this.#underWay.size < bounds.maxPoolSize;
		const session = this.#client.startSession();
		const sent = writesSent(session);
		try {
			if (this.#seen) session.advanceOperationTime(this.#seen);
			const result = await work(documents, { session, maxTimeMS }, this.#database);
			this.#see(session.operationTime);
			return result;
		} catch (error) {
			if (isUnsent(error) && writesSent(session) !== sent)
				throw new NoAnswerError("Sent, and not again", { cause: error });
			throw hasRoom && isQueueTimeout(error) ? new NoConnectionError("No connection", { cause: error }) : error;
		} finally {
			await session.endSession();
		}
	}

	/** Runs work whose duration grows with the number of documents, on a client without time limits. */
	async runPatiently(work: (database: Db) => Promise<void>): Promise<void> {
		const client = clientOf(this.#url, { ...majority, ...patient });
		try {
			await work(client.db(this.#database.databaseName));
		} finally {
			await client.close();
		}
	}

	/** Returns a client for a snapshot, whose reads name their own time; the caller closes it. */
	snapshotClient(): { readonly client: MongoClient; readonly database: Db } {
		const client = clientOf(this.#url, patient);
		return { client, database: client.db(this.#database.databaseName) };
	}

	/** The database and its servers, in words for people. */
	get place(): string {
		const { hosts, srvHost } = this.#client.options;
		const servers = srvHost === undefined ? hosts.map(String) : [srvHost];
		return `database "${this.#database.databaseName}" on "${servers.join(", ")}"`;
	}

	async ping(): Promise<void> {
		await this.#ready().command({ ping: 1, maxTimeMS });
	}

	async time(): Promise<number> {
		const { localTime }: { localTime?: Date } = await this.#ready().command({ hello: 1, maxTimeMS });
		return localTime?.getTime() ?? Number.NaN;
	}

	async close(): Promise<void> {
		this.#closed = true;
		// The driver would abort operations under way.
		await Promise.allSettled(this.#underWay);
		await this.#client.close();
	}

	/** Records times of majority writes only: a read would wait in vain for a write that a failover removed. */
	#see(at: Timestamp | undefined): void {
		if (at && (!this.#seen || at.greaterThan(this.#seen))) this.#seen = at;
	}

	#ready(): Db {
		if (this.#closed) throw new UnavailableError("The store is not open", "STORE_CLOSED");
		return this.#database;
	}
}

/**
 * Counts the writes that a session has sent to a replica set. The driver repeats such a write once, and when it finds no server
 * for that, its error says nothing of the first attempt, which may be done.
 */
function writesSent(session: ClientSession): number {
	return session.serverSession.txnNumber;
}

/** Refuses a url that names another database than the one that is used (docs/decisions/0107). @throws {StartError} */
function refuseOtherDatabase(url: string, database: string): void {
	const [, named = ""] = /^[^/]*\/\/[^/]*\/([^?]*)/.exec(url) ?? [];
	if (named === "" || decodeURIComponent(named) === database) return;
	throw new StartError(
		`Cannot use the document store: its url names the database "${decodeURIComponent(named)}", and "store.kwargs.database" is ` +
			`"${database}" (its default is "atelier"); name the same database in both, or none in the url. The database of ` +
			`the users is "authSource" in the url`,
	);
}

function clientOf(url: string, options: MongoClientOptions): MongoClient {
	try {
		return new MongoClient(url, {
			...options,
			appName: "atelier",
			ignoreUndefined: true,
			readPreference: "primary",
		});
	} catch {
		// The driver's own message may quote the url.
		throw new StartError("Cannot use the document store: its url is no MongoDB connection string");
	}
}
