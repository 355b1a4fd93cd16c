/**
 * The connection of one process to MongoDB. Reads see only data that a majority of the servers has and that is no older
 * than anything this process has read or written before, so no decision is based on data that a failover removes
 * (docs/decisions/0021).
 */
import {
	type ClientSession,
	type Collection as Documents,
	type Db,
	MongoClient,
	type MongoClientOptions,
	type Timestamp,
} from "mongodb";
import { UnavailableError } from "../../errors.ts";
import type { StoredDocument } from "./mongodb-document.ts";

/** The longest time that the server works on one operation, in milliseconds. */
const maxTimeMS = 2_000;

const bounds = {
	serverSelectionTimeoutMS: 2_000,
	connectTimeoutMS: 2_000,
	waitQueueTimeoutMS: 2_000,
	/** This is longer than any operation may take: a server that is silent for so long is considered dead. */
	socketTimeoutMS: 5_000,
	maxPoolSize: 50,
	writeConcern: { w: "majority", journal: true, wtimeoutMS: maxTimeMS },
} as const;

/** The bounds of operations whose duration grows with the number of documents. */
const patient = {
	...bounds,
	socketTimeoutMS: 0,
	writeConcern: { w: "majority", journal: true },
} as const;

/** The reads of everything except snapshots, which have a read concern of their own. */
const majority = { readConcern: { level: "majority" } } as const;

/** The options that every operation passes to the driver. */
export interface OperationOptions {
	readonly session: ClientSession;
	readonly maxTimeMS: number;
}

/** One operation on a collection. */
export type Work<T> = (all: Documents<StoredDocument>, options: OperationOptions) => Promise<T>;

/** The client of one process with its causal time. The store that made it closes it. */
export class MongodbConnection {
	readonly #url: string;
	readonly #client: MongoClient;
	readonly #database: Db;
	readonly #underWay = new Set<Promise<unknown>>();
	/**
	 * The time, by the servers' clock, of the newest write that this process knows of; a server without a replica set
	 * reports none.
	 */
	#seen: Timestamp | undefined;
	#closed = false;

	/**
	 * Prepares the client and does not connect yet. @throws {TypeError} when the url is no connection string; the
	 * sentence does not repeat it.
	 */
	constructor(url: string, database: string) {
		this.#url = url;
		this.#client = clientOf(url, { ...majority, ...bounds });
		this.#database = this.#client.db(database);
	}

	/** Runs one operation. @throws {Error} the driver's error; {UnavailableError} after `close`. */
	async run<T>(name: string, work: Work<T>): Promise<T> {
		const documents = this.#ready().collection<StoredDocument>(name);
		const session = this.#client.startSession();
		if (this.#seen) session.advanceOperationTime(this.#seen);
		const attempt = work(documents, { session, maxTimeMS });
		this.#underWay.add(attempt);
		try {
			const result = await attempt;
			this.#see(session.operationTime);
			return result;
		} finally {
			this.#underWay.delete(attempt);
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

	async ping(): Promise<void> {
		await this.#ready().command({ ping: 1, maxTimeMS });
	}

	/** Returns the time of the primary in milliseconds since 1970. */
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
		throw new TypeError("Cannot use the document store: its url is no MongoDB connection string");
	}
}
