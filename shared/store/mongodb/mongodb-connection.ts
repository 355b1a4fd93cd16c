/**
 * The way of one process to MongoDB. What is read is on a majority of the servers and no older than anything this process
 * has read or written before, so that nothing is built on what a failover takes back (docs/decisions/0021).
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
export interface OperationOptions {
	readonly session: ClientSession;
	readonly maxTimeMS: number;
}

export class MongodbConnection {
	readonly #url: string;
	readonly #client: MongoClient;
	readonly #database: Db;
	readonly #underWay = new Set<Promise<unknown>>();
	/** When the newest was written that this process knows of, by the servers' clock; a server alone does not say. */
	#seen: Timestamp | undefined;
	#closed = false;

	/** @throws {TypeError} when the url is no connection string; the sentence does not repeat it. */
	constructor(url: string, database: string) {
		this.#url = url;
		this.#client = clientOf(url, bounds);
		this.#database = this.#client.db(database);
	}

	/** Runs one operation. @throws {Error} in the driver's words. @throws {UnavailableError} after `close`. */
	async run<T>(
		name: string,
		work: (all: Documents<StoredDocument>, options: OperationOptions) => Promise<T>,
	): Promise<T> {
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

	/** Runs what may take as long as there are documents. */
	async runPatiently(work: (database: Db) => Promise<void>): Promise<void> {
		const client = clientOf(this.#url, patient);
		try {
			await work(client.db(this.#database.databaseName));
		} finally {
			await client.close();
		}
	}

	async ping(): Promise<void> {
		await this.#ready().command({ ping: 1, maxTimeMS });
	}

	async close(): Promise<void> {
		this.#closed = true;
		// The driver would break off what is under way.
		await Promise.allSettled(this.#underWay);
		await this.#client.close();
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
