/**
 * Updates the indexes of MongoDB collections to their declarations. The time is not limited, because a large collection
 * must not prevent the start. A changed index is created under its new name before the former one is dropped.
 */
import { type Collection as Documents, type Db, type IndexDescriptionInfo, MongoServerError } from "mongodb";
import type { Collection } from "../collection.ts";
import { absentKey, type StoredDocument } from "./mongodb-document.ts";
import { takenKey } from "./mongodb-errors.ts";
import { declaredIndex, indexName, isOurs } from "./mongodb-index-name.ts";
import { indexKey } from "./mongodb-query.ts";
import { gramIndexes } from "./mongodb-search.ts";
import { inTurn, type TurnDocument } from "./mongodb-turn.ts";

interface Wanted {
	readonly name: string;
	readonly key: Readonly<Record<string, 1>>;
	readonly unique: boolean;
}

/** The options of indexes that somebody made by hand; those of the platform have none of them. */
const peculiarities = ["sparse", "partialFilterExpression", "collation", "expireAfterSeconds", "hidden"] as const;

/** Creates, replaces and drops indexes. @param database A database of a client without time limits. */
export async function applyIndexes(database: Db, collections: readonly Collection[]): Promise<void> {
	const outdated: Collection[] = [];
	for (const collection of collections) {
		const present = await indexesOf(database.collection(collection.name));
		const { missing, obsolete } = difference(wantedOf(collection), present);
		if (missing.length + obsolete.length > 0) outdated.push(collection);
	}
	if (outdated.length === 0) return;
	const { setName } = await database.command({ hello: 1 });
	// MongoDB's default is to wait for all voting members, including unreachable ones.
	const options = setName === undefined ? {} : { commitQuorum: "majority" };
	await inTurn(database.collection<TurnDocument>("store_turns"), "indexes", async () => {
		for (const collection of outdated) await apply(database.collection(collection.name), collection, options);
	});
}

async function apply(
	documents: Documents<StoredDocument>,
	collection: Collection,
	options: { commitQuorum?: string },
): Promise<void> {
	// Another process may have changed the indexes meanwhile.
	const present = await indexesOf(documents);
	const { missing, obsolete } = difference(wantedOf(collection), present);
	const inTheWay = obsolete.filter((index) =>
		missing.some((wanted) => wanted.name === index.name || hasKey(index, wanted)),
	);
	for (const { name = "" } of inTheWay) await documents.dropIndex(name);
	for (const { key, name, unique } of missing) {
		const create = () => documents.createIndex(key, { name, ...(unique && { unique }), ...options });
		await create().catch(async (error: unknown) => {
			// Documents that were stored before the index was declared may lack its columns.
			if (takenKey(error) === undefined) throw error;
			for (const column of Object.keys(key)) await fillAbsent(documents, column);
			await create();
		});
	}
	for (const index of obsolete) if (!inTheWay.includes(index)) await documents.dropIndex(index.name ?? "");
}

function wantedOf(collection: Collection): Wanted[] {
	const outbox = { _outbox_since: 1, _id: 1 } as const;
	return [
		{ name: indexName("_outbox", outbox), key: outbox, unique: false },
		...gramIndexes(collection).map((index) => ({ ...index, unique: false })),
		...Object.entries(collection.indexes).map(([declared, spec]) => {
			const key = indexKey(spec);
			return { name: indexName(declared, key), key, unique: spec.unique ?? false };
		}),
	];
}

/** Compares declared and present indexes. A correct index may have any name. */
function difference(wanted: readonly Wanted[], present: readonly IndexDescriptionInfo[]) {
	const missing = wanted.filter((one) => !present.some((index) => isSame(index, one)));
	const declared = new Set(wanted.map(({ name }) => declaredIndex(name)));
	const obsolete = present.filter((index) => {
		const { name = "" } = index;
		if (name === "_id_" || wanted.some((one) => isSame(index, one))) return false;
		return isOurs(name) || declared.has(name) || missing.some((one) => hasKey(index, one));
	});
	return { missing, obsolete };
}

function isSame(index: IndexDescriptionInfo, wanted: Wanted): boolean {
	const isPlain = peculiarities.every((peculiarity) => index[peculiarity] === undefined);
	return isPlain && hasKey(index, wanted) && (index.unique ?? false) === wanted.unique;
}

function hasKey({ key }: IndexDescriptionInfo, wanted: Wanted): boolean {
	return JSON.stringify(key) === JSON.stringify(wanted.key);
}

/** Returns the indexes; none for a collection that does not exist yet. */
async function indexesOf(documents: Documents<StoredDocument>): Promise<IndexDescriptionInfo[]> {
	try {
		return await documents.listIndexes().toArray();
	} catch (error) {
		if (error instanceof MongoServerError && error.code === 26) return [];
		throw error;
	}
}

async function fillAbsent(documents: Documents<StoredDocument>, column: string): Promise<void> {
	const lacking = { [column]: { $exists: false } };
	for await (const { _id } of documents.find(lacking, { projection: { _id: 1 } }))
		await documents.updateOne({ _id, ...lacking }, { $set: { [column]: absentKey(_id) } });
}
