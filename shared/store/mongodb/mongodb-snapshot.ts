/** All documents of a MongoDB database as they are at one moment: a session whose reads name one time of the replica set. */
import { type ClientSession, type Db, type MongoClient, MongoServerError } from "mongodb";
import { now } from "#shared/base/clock.ts";
import { ConflictError } from "#shared/base/errors.ts";
import type { Collection, Columns } from "../collection.ts";
import type { StoreSnapshot, WholeDocument } from "../port/lifecycle.ts";
import { documentOf, type StoredDocument } from "./mongodb-document.ts";
import { translated } from "./mongodb-errors.ts";

/** The documents that one answer of the server holds at most. */
const batchSize = 500;

/** The meanings of a server's refusals of a snapshot, by their codes. */
const refusals = new Map<unknown, string>([
	[20, "only a replica set has snapshots; one server can be a replica set too"],
	[72, "only a replica set has snapshots; one server can be a replica set too"],
	[239, 'the server keeps its history for a shorter time, see "minSnapshotHistoryWindowInSeconds"'],
	[246, "the server changed a collection meanwhile, try again"],
]);

/** The documents at one time. It has a client of its own, which `close` ends. */
export class MongodbSnapshot implements StoreSnapshot {
	readonly since: number;
	readonly #client: MongoClient;
	readonly #database: Db;
	readonly #session: ClientSession;

	private constructor(client: MongoClient, database: Db) {
		this.since = now();
		this.#client = client;
		this.#database = database;
		this.#session = client.startSession({ snapshot: true });
	}

	/** Takes a snapshot. @throws {ConflictError} when the server has none. */
	static async take(client: MongoClient, database: Db): Promise<MongodbSnapshot> {
		const snapshot = new MongodbSnapshot(client, database);
		try {
			// The first read decides about the time of all.
			await snapshot.#read("store_turns").next();
			return snapshot;
		} catch (error) {
			await snapshot.close();
			throw refused(error);
		}
	}

	async *documents<C extends Columns>(collection: Collection<C>): AsyncGenerator<WholeDocument<C>> {
		const members = ["wire", "_outbox", ...Object.keys(collection.columns)];
		const projection = Object.fromEntries(members.map((member) => [member, 1]));
		try {
			for await (const stored of this.#read(collection.name).sort({ _id: 1 }).project<StoredDocument>(projection))
				yield { document: documentOf(collection, stored), events: stored._outbox ?? [] };
		} catch (error) {
			throw refused(error);
		}
	}

	async close(): Promise<void> {
		await this.#session.endSession();
		await this.#client.close();
	}

	#read(name: string) {
		return this.#database.collection<StoredDocument>(name).find({}, { session: this.#session, batchSize });
	}
}

function refused(error: unknown): unknown {
	const reason = error instanceof MongoServerError ? refusals.get(error.code) : undefined;
	if (reason === undefined) return translated(error, "read");
	return Object.assign(new ConflictError(`Cannot take a snapshot of the document store: ${reason}`, "STORE_SNAPSHOT"), {
		cause: error,
	});
}
