/** Prepares a store that several processes share for the documents of an archive. */
import { now } from "../clock.ts";
import { leaseCollection } from "../leases/lease-collection.ts";
import type { Collection } from "../store/collection.ts";
import { type DocumentStore, maxRemoved, type StoreSnapshot } from "../store/document-store.ts";
import { ArchiveError } from "./archive-format.ts";
import { archivedCollections } from "./archived-documents.ts";
import { importCollection, isHalfImported, markImport } from "./import-mark.ts";

/** Marks the store and empties it. @throws {ArchiveError} when it has documents that are to stay, or a platform uses it. */
export async function emptySharedStore(
	store: DocumentStore,
	collections: readonly Collection[],
	{ force, say }: { readonly force: boolean; readonly say: (line: string) => void },
): Promise<void> {
	const archived = archivedCollections(collections);
	await store.open([...collections, leaseCollection, importCollection]);
	const snapshot = await store.snapshot();
	try {
		await refuseUsed(snapshot);
		const present = await firstWithDocuments(snapshot, archived);
		if (!force && (await isHalfImported(store)))
			throw new ArchiveError("An import into this store has not finished; with --force the store is emptied first");
		if (!force && present)
			throw new ArchiveError(`The store is not empty: it has "${present.name}"; with --force it is emptied`);
		await markImport(store, "begun");
		if (present) say("The documents of the store are removed");
		for (const collection of archived) await empty(store, snapshot, collection);
	} finally {
		await snapshot.close();
	}
}

/** The processes of a platform hold leases, which they renew. */
async function refuseUsed(snapshot: StoreSnapshot): Promise<void> {
	for await (const { document } of snapshot.documents(leaseCollection)) {
		const { id, holder = "", until = 0 } = document;
		if (holder !== "" && until > now())
			throw new ArchiveError(
				`A platform uses this store (it holds the lease "${id}"): stop all of its processes first`,
			);
	}
}

async function firstWithDocuments(
	snapshot: StoreSnapshot,
	collections: readonly Collection[],
): Promise<Collection | undefined> {
	for (const collection of collections) {
		for await (const _ of snapshot.documents(collection)) return collection;
	}
	return undefined;
}

async function empty(store: DocumentStore, snapshot: StoreSnapshot, collection: Collection): Promise<void> {
	let ids: string[] = [];
	for await (const { document } of snapshot.documents(collection)) {
		ids.push(document.id);
		if (ids.length < maxRemoved) continue;
		await store.removeMany(collection, ids);
		ids = [];
	}
	if (ids.length > 0) await store.removeMany(collection, ids);
}
