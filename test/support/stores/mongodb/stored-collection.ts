/** The documents of one collection in memory. Every method is one step of the event loop, so it is atomic. */
import { isDeepStrictEqual } from "node:util";
import { idsOf, matches } from "./filter.ts";
import { updated } from "./update.ts";
import { CommandError, compare, isMembers, type Members, unknownHere } from "./values.ts";

export interface Index {
	readonly name: string;
	readonly key: Members;
	readonly unique: boolean;
}

/** The most documents, far more than a test should need. */
const maxDocuments = 100_000;

export class StoredCollection {
	readonly namespace: string;
	readonly #documents = new Map<string, Members>();
	readonly #indexes = new Map<string, Index>();

	constructor(namespace: string) {
		this.namespace = namespace;
	}

	/** Whether nothing was ever written to it. */
	get isNew(): boolean {
		return this.#documents.size === 0 && this.#indexes.size === 0;
	}

	/** Returns a collection with the present documents; changes replace documents and do not change them. */
	copy(): StoredCollection {
		const copy = new StoredCollection(this.namespace);
		for (const [id, document] of this.#documents) copy.#documents.set(id, document);
		return copy;
	}

	/** Returns a collection for one transaction, with the present documents and indexes. */
	fork(): StoredCollection {
		const fork = this.copy();
		for (const [name, index] of this.#indexes) fork.#indexes.set(name, index);
		return fork;
	}

	/**
	 * Takes over what a transaction has changed since the fork was made. @param base The documents at that time.
	 * @param isTrial Whether it is only checked that nobody else has changed the same documents, or keys of unique indexes.
	 */
	merge(fork: StoredCollection, base: StoredCollection, isTrial: boolean): void {
		const ids = new Set([...fork.#documents.keys(), ...base.#documents.keys()]);
		for (const id of ids) {
			const changed = fork.#documents.get(id);
			if (changed === base.#documents.get(id)) continue;
			if (this.#documents.get(id) !== base.#documents.get(id))
				throw new CommandError(112, "WriteConflict", "Another write has changed a document of the transaction");
			if (changed) this.#checkUnique(changed);
			if (isTrial) continue;
			if (changed) this.#documents.set(id, changed);
			else this.#documents.delete(id);
		}
	}

	/** Returns the indexes in the form of a server's list. */
	indexes(): Members[] {
		const made = [...this.#indexes.values()].map(({ name, key, unique }) => ({
			v: 2,
			key,
			name,
			...(unique && { unique }),
		}));
		return [{ v: 2, key: { _id: 1 }, name: "_id_" }, ...made];
	}

	dropIndex(name: string): void {
		if (!this.#indexes.delete(name)) throw new CommandError(27, "IndexNotFound", `index not found with name [${name}]`);
	}

	createIndex(index: Index): void {
		const present = this.#indexes.get(index.name);
		if (present && !isDeepStrictEqual(present, index))
			throw new CommandError(86, "IndexKeySpecsConflict", `An index "${index.name}" with other keys exists`);
		this.#indexes.set(index.name, index);
		try {
			for (const document of this.#documents.values()) this.#checkUnique(document);
		} catch (error) {
			if (!present) this.#indexes.delete(index.name);
			throw error;
		}
	}

	insert(document: Members): void {
		const { _id } = document;
		if (typeof _id !== "string") throw unknownHere("an _id that is no text");
		if (this.#documents.size >= maxDocuments) throw unknownHere(`more than ${maxDocuments} documents`);
		if (this.#documents.has(_id)) throw this.#duplicate("_id_", `{ _id: "${_id}" }`);
		this.#checkUnique(document);
		this.#documents.set(_id, document);
	}

	find(filter: Members, sort: Members = {}, limit = 0): Members[] {
		const found = this.#candidates(filter).filter((document) => matches(document, filter));
		const order = Object.entries(sort);
		found.sort((a, b) => {
			for (const [member, direction] of order) {
				const difference = compare(a[member], b[member]);
				if (difference !== 0) return direction === -1 ? -difference : difference;
			}
			return 0;
		});
		return limit > 0 ? found.slice(0, limit) : found;
	}

	/** Updates the first matching document and returns it; undefined when none matches. */
	updateOne(filter: Members, update: Members): Members | undefined {
		const [document] = this.find(filter, {}, 1);
		if (!document) return undefined;
		const result = updated(document, update);
		this.#checkUnique(result);
		this.#documents.set(String(result["_id"]), result);
		return result;
	}

	/** Removes the first matching document or all; returns the count. */
	delete(filter: Members, limit: 0 | 1): number {
		if (limit === 0 && !namedIds(filter["_id"])) throw unknownHere("a removal of many that are not named");
		const found = this.find(filter, {}, limit);
		for (const { _id } of found) this.#documents.delete(String(_id));
		return found.length;
	}

	#candidates({ _id }: Members): Members[] {
		const ids = namedIds(_id);
		if (!ids) return [...this.#documents.values()];
		return ids.map((id) => this.#documents.get(id)).filter((document) => document !== undefined);
	}

	/**
	 * Checks unique indexes. As on a real server, absence counts as a value: two documents that lack the members of a
	 * unique index collide.
	 */
	#checkUnique(document: Members): void {
		for (const { name, key, unique } of this.#indexes.values()) {
			if (!unique) continue;
			const members = Object.keys(key);
			for (const other of this.#documents.values()) {
				if (other["_id"] === document["_id"]) continue;
				if (members.every((member) => isDeepStrictEqual(other[member], document[member])))
					throw this.#duplicate(name, `{ ${members.join(", ")} }`);
			}
		}
	}

	#duplicate(index: string, key: string): CommandError {
		const message = `E11000 duplicate key error collection: ${this.namespace} index: ${index} dup key: ${key}`;
		return new CommandError(11_000, "DuplicateKey", message);
	}
}

/** Returns the requested ids if the condition names ids. */
function namedIds(condition: unknown): string[] | undefined {
	if (typeof condition === "string") return [condition];
	return isMembers(condition) && "$in" in condition ? idsOf(condition["$in"]) : undefined;
}
