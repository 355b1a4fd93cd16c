/** Fills an empty store from an archive, compares it with the archive, and gives its event log a new epoch. */
import { randomBytes } from "node:crypto";
import { eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { keyPrintCollection, storeKeyPrint } from "#shared/store/key-print.ts";
import { keyPrint } from "#shared/base/secrets/keys.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { ArchiveError, type ArchiveManifest, sectionNames } from "./archive-format.ts";
import { readArchive } from "./archive-reader.ts";
import { archivedCollections, DocumentLoader, sumsOf } from "./archived-documents.ts";
import { FileLoader } from "./restored-files.ts";
import { importCollection, markImport } from "./import-mark.ts";
import type { ArchiveOrder, Installation } from "./installation.ts";
import type { PlacedFolder } from "./placed-folder.ts";
import { isSameSums } from "./section-sums.ts";

/** The places that are filled from an archive. */
interface LoadTarget {
	/** Where a store of one process is filled. */
	readonly folder: string;
	/** The folders to fill, by the names of their sections; other sections of files are ignored. */
	readonly folders: ReadonlyMap<string, PlacedFolder>;
	/** The installation key to which the documents belong from now on. */
	readonly key: string;
	/** Returns a store that writes only while nobody else fills it; absent: nobody else can. */
	readonly guard?: ((store: DocumentStore) => DocumentStore) | undefined;
	/** Changes the documents after they were compared with the archive; absent: they stay as they are. */
	readonly change?: ((store: DocumentStore) => Promise<void>) | undefined;
}

/** Fills the store and the folders. @throws {ArchiveError} when the store does not have what the archive has. */
export async function loadStore(
	place: Installation,
	order: ArchiveOrder,
	manifest: ArchiveManifest,
	{ folder, folders, key, guard, change }: LoadTarget,
): Promise<void> {
	const open = async () => {
		const made = await place.newStore(folder);
		const store = guard?.(made) ?? made;
		await store.open([...place.collections, importCollection, keyPrintCollection]);
		return store;
	};
	await using(await open(), (store) => fill(place, order, store, folders));
	await using(await place.newStore(folder), (store) => compare(place, store, manifest));
	await using(await open(), async (store) => {
		await change?.(store);
		await storeKeyPrint(store, keyPrint(key));
		await renew(store);
		// The caller marks a shared store: before, and when the files are in their places too.
		if (!store.isShared) await markImport(store, "done");
	});
	const documents = Object.entries(manifest.sections).filter(([name]) => name.startsWith(sectionNames.documents("")));
	const count = documents.reduce((sum, [, { entries }]) => sum + entries, 0);
	order.say(`The store has the ${count} documents of the archive; their checksums agree`);
}

async function using(store: DocumentStore, work: (store: DocumentStore) => Promise<void>): Promise<void> {
	try {
		await work(store);
	} finally {
		await store.close();
	}
}

async function fill(
	{ collections }: Installation,
	{ path }: ArchiveOrder,
	store: DocumentStore,
	folders: ReadonlyMap<string, PlacedFolder>,
): Promise<void> {
	await using closing = new AsyncDisposableStack();
	const documents = new DocumentLoader(collections, store);
	const files = new Map([...folders].map(([section, { path: root }]) => [section, closing.use(new FileLoader(root))]));
	if (!store.isShared) await markImport(store, "begun");
	await readArchive(path, (section, value) =>
		DocumentLoader.isOf(section) ? documents.take(section, value) : files.get(section)?.take(value),
	);
	await documents.flush();
}

async function compare({ collections }: Installation, store: DocumentStore, manifest: ArchiveManifest): Promise<void> {
	await using closing = new AsyncDisposableStack();
	const snapshot = closing.adopt(await store.snapshot(), (taken) => taken.close());
	for (const collection of archivedCollections(collections)) {
		const wanted = manifest.sections[sectionNames.documents(collection.name)];
		if (!wanted || isSameSums(wanted, await sumsOf(snapshot, collection))) continue;
		throw new ArchiveError(`The store has other documents in "${collection.name}" than the archive`);
	}
}

/** Gives the log another epoch, so that clients with a position in the former log read everything anew. */
async function renew(store: DocumentStore): Promise<void> {
	const epoch = randomBytes(4).toString("hex");
	if (await store.update(eventLogNameCollection, "log", {}, { set: { epoch } })) return;
	await insertOnce(() => store.insert(eventLogNameCollection, { id: "log", wire: "{}", epoch }));
}
