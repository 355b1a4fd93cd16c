/** The commands that the driver sends on behalf of the MongoDB adapter; any other command or option is an error. */
import { BSON } from "mongodb";
import { StoredCollection } from "./stored-collection.ts";
import { Transaction } from "./transaction.ts";
import { CommandError, listOf, type Members, membersOf, unknownHere } from "./values.ts";

interface Command {
	readonly options: readonly string[];
	run(collection: StoredCollection, command: Members): Members;
}

/** The members that any command may have. */
const common = ["$db", "lsid", "maxTimeMS", "writeConcern", "readConcern", "$readPreference"];

/** The members of a command in a transaction. */
const transactional = ["txnNumber", "autocommit", "startTransaction"];

const commands: Readonly<Record<string, Command>> = {
	insert: {
		options: ["documents", "ordered"],
		run: (collection, { documents, ordered }) => inserted(collection, membersList(documents), ordered !== false),
	},
	find: {
		options: ["filter", "sort", "limit", "projection", "batchSize", "singleBatch"],
		run(collection, { filter, sort, limit, projection }) {
			const found = collection.find(optional(filter), optional(sort), Number(limit ?? 0));
			return cursor(
				collection,
				found.map((document) => projected(document, optional(projection))),
			);
		},
	},
	findAndModify: {
		options: ["query", "update", "new", "remove", "upsert"],
		run(collection, { query, update, remove, upsert, new: after }) {
			if (remove === true || upsert === true || after !== true) throw unknownHere("this form of findAndModify");
			return { value: collection.updateOne(membersOf(query, "query"), membersOf(update, "update")) ?? null };
		},
	},
	update: {
		options: ["updates", "ordered"],
		run(collection, { updates }) {
			const [{ q, u, ...others } = {}, ...more] = membersList(updates);
			if (more.length > 0 || Object.keys(others).length > 0) throw unknownHere("this form of update");
			const n = collection.updateOne(membersOf(q, "q"), membersOf(u, "u")) ? 1 : 0;
			return { n, nModified: n };
		},
	},
	delete: {
		options: ["deletes", "ordered"],
		run(collection, { deletes }) {
			const [{ q, limit, ...others } = {}, ...more] = membersList(deletes);
			if (more.length > 0 || !(limit === 0 || limit === 1) || Object.keys(others).length > 0)
				throw unknownHere("this form of delete");
			return { n: collection.delete(membersOf(q, "q"), limit) };
		},
	},
	aggregate: {
		options: ["pipeline", "cursor"],
		run(collection, { pipeline }) {
			const [match, group, ...more] = membersList(pipeline);
			if (more.length > 0 || JSON.stringify(group) !== '{"$group":{"_id":1,"n":{"$sum":1}}}')
				throw unknownHere("a pipeline that does not count");
			const n = collection.find(membersOf(match?.["$match"], "$match")).length;
			return cursor(collection, n > 0 ? [{ _id: 1, n }] : []);
		},
	},
	createIndexes: {
		options: ["indexes"],
		run(collection, { indexes }) {
			for (const { name, key, unique = false, ...others } of membersList(indexes)) {
				if (Object.keys(others).length > 0) throw unknownHere(`an index with ${Object.keys(others).join(", ")}`);
				collection.createIndex({ name: String(name), key: membersOf(key, "key"), unique: unique === true });
			}
			return {};
		},
	},
	listIndexes: {
		options: ["cursor"],
		run(collection) {
			if (collection.isNew)
				throw new CommandError(26, "NamespaceNotFound", `ns does not exist: ${collection.namespace}`);
			return cursor(collection, collection.indexes());
		},
	},
	dropIndexes: {
		options: ["index"],
		run(collection, { index }) {
			collection.dropIndex(String(index));
			return {};
		},
	},
};

/** Returns a server's description of itself; the present driver requires at least the wire version of MongoDB 4.4. */
function hello(): Members {
	return {
		isWritablePrimary: true,
		ismaster: true,
		helloOk: true,
		maxBsonObjectSize: 16_777_216,
		maxMessageSizeBytes: 48_000_000,
		maxWriteBatchSize: 100_000,
		localTime: new Date(),
		minWireVersion: 0,
		maxWireVersion: 25,
		logicalSessionTimeoutMinutes: 30,
		readOnly: false,
	};
}

export class Commands {
	readonly #collections = new Map<string, StoredCollection>();
	/** The collections as sessions have seen them at the time of their snapshot. */
	readonly #snapshots = new Map<string, Map<string, StoredCollection>>();

	/** The open transactions, by their sessions. */
	readonly #transactions = new Map<string, Transaction>();

	/** Returns the answer, which may be a refusal. */
	answer(command: Members): Members {
		try {
			return { ok: 1, ...this.#run(command) };
		} catch (error) {
			if (!(error instanceof CommandError)) throw error;
			const { code, codeName, message } = error;
			const isTransient = command["autocommit"] === false && [112, 251].includes(code);
			return {
				ok: 0,
				code,
				codeName,
				errmsg: message,
				...(isTransient && { errorLabels: ["TransientTransactionError"] }),
			};
		}
	}

	#run(command: Members): Members {
		const [name = ""] = Object.keys(command);
		if (["hello", "ismaster", "isMaster"].includes(name)) return hello();
		if (["ping", "endSessions"].includes(name)) return {};
		if (name === "commitTransaction" || name === "abortTransaction") return this.#end(command, name);
		const known = knownCommand(name, command);
		const namespace = `${String(command["$db"])}.${String(command[name])}`;
		if (optional(command["readConcern"])["level"] === "snapshot") return this.#readSnapshot(known, namespace, command);
		const live = this.#collection(namespace);
		return known.run(this.#transaction(command)?.collection(live) ?? live, command);
	}

	/** Returns the transaction of a command; undefined when it belongs to none. */
	#transaction({ lsid, autocommit, startTransaction }: Members): Transaction | undefined {
		if (autocommit !== false) return undefined;
		const session = JSON.stringify(lsid);
		if (startTransaction === true) this.#transactions.set(session, new Transaction());
		const found = this.#transactions.get(session);
		if (!found) throw new CommandError(251, "NoSuchTransaction", "The session has no transaction");
		return found;
	}

	#end(command: Members, name: string): Members {
		const transaction = this.#transaction(command);
		this.#transactions.delete(JSON.stringify(command["lsid"]));
		if (name === "commitTransaction") transaction?.commit();
		return {};
	}

	/** Reads as of the first such read of the session, and tells the driver a time, which it repeats. */
	#readSnapshot(known: Command, namespace: string, command: Members): Members {
		const session = JSON.stringify(command["lsid"]);
		const seen =
			this.#snapshots.get(session) ?? new Map([...this.#collections].map(([name, one]) => [name, one.copy()]));
		this.#snapshots.set(session, seen);
		const answer = known.run(seen.get(namespace) ?? new StoredCollection(namespace), command);
		return { cursor: { ...membersOf(answer["cursor"], "a cursor"), atClusterTime: new BSON.Timestamp(1n) } };
	}

	#collection(namespace: string): StoredCollection {
		const present = this.#collections.get(namespace);
		if (present) return present;
		const made = new StoredCollection(namespace);
		this.#collections.set(namespace, made);
		return made;
	}
}

/** @throws {CommandError} for a command or an option that no test should need. */
function knownCommand(name: string, command: Members): Command {
	const known = commands[name];
	if (!known) throw new CommandError(59, "CommandNotFound", `no such command: '${name}'`);
	const options = [name, ...common, ...transactional, ...known.options];
	const odd = Object.keys(command).find((key) => !options.includes(key));
	if (odd !== undefined) throw unknownHere(`the option "${odd}" of "${name}"`);
	return known;
}

function inserted(collection: StoredCollection, documents: readonly Members[], ordered: boolean): Members {
	if (!ordered) throw unknownHere("an insert without order");
	for (const [index, document] of documents.entries()) {
		try {
			collection.insert(document);
		} catch (error) {
			if (!(error instanceof CommandError)) throw error;
			return { n: index, writeErrors: [{ index, code: error.code, errmsg: error.message }] };
		}
	}
	return { n: documents.length };
}

/** Returns a cursor with everything in one batch, because pages of the adapter are small enough. */
function cursor({ namespace: ns }: StoredCollection, firstBatch: Members[]): Members {
	return { cursor: { id: BSON.Long.ZERO, ns, firstBatch } };
}

/** Applies a projection that names the wanted members; other forms are not supported. */
function projected(document: Members, projection: Members): Members {
	const wanted = Object.keys(projection);
	if (Object.values(projection).some((value) => value !== 1)) throw unknownHere("this projection");
	if (wanted.length === 0) return document;
	return Object.fromEntries(
		["_id", ...wanted].filter((name) => name in document).map((name) => [name, document[name]]),
	);
}

function optional(value: unknown): Members {
	return value === undefined ? {} : membersOf(value, "an option");
}

function membersList(value: unknown): Members[] {
	return listOf(value, "an option").map((part) => membersOf(part, "an option"));
}
