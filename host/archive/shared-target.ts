/** Prepares a store that several processes share for the documents of an archive. */
import { monotonic, now, sleep } from "#shared/base/clock.ts";
import type { ProcessEntry } from "#shared/contracts/processes.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import type { Lease } from "#shared/store/leases/leases.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import { processCollection } from "../presence/process-collection.ts";
import { endedAfterMs } from "../presence/process-registry.ts";
import type { Collection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { maxRemoved } from "#shared/store/port/documents.ts";
import type { StoreSnapshot } from "#shared/store/port/lifecycle.ts";
import { ArchiveError } from "./archive-format.ts";
import { archivedCollections } from "./archived-documents.ts";
import { importCollection, isHalfImported, markImport } from "./import-mark.ts";

/** The lease of the one command that fills the store. */
const importLease = "import";

/** A lease that is not renewed for so long is free, with a second for looking, in milliseconds. */
const killedMs = 5_500;
const lookMs = 250;

/**
 * Marks the store and empties it. Resolves to the lease under which it is filled; the caller releases it.
 * @throws {ArchiveError} when the store has documents that are to stay, or a platform or another import uses it.
 */
export async function emptySharedStore(
	store: DocumentStore,
	collections: readonly Collection[],
	order: { readonly force: boolean; readonly say: (line: string) => void },
): Promise<Lease> {
	await store.open([...collections, leaseCollection, processCollection, importCollection]);
	const lease = await importTurn(store);
	if (!lease) throw new ArchiveError("Another import into this store is under way: try again when it has ended");
	try {
		await emptied(store, archivedCollections(collections), order);
		return lease;
	} catch (error) {
		await lease.release();
		throw error;
	}
}

/** Takes the lease, also that of an import which was killed; undefined when another one goes on. */
async function importTurn(store: DocumentStore): Promise<Lease | undefined> {
	const leases = new StoredLeases(store);
	for (const begun = monotonic(); ; await sleep(lookMs)) {
		const lease = await leases.acquire(importLease);
		if (lease || monotonic() - begun > killedMs) return lease;
	}
}

async function emptied(
	store: DocumentStore,
	archived: readonly Collection[],
	{ force, say }: { readonly force: boolean; readonly say: (line: string) => void },
): Promise<void> {
	const { place: at = "store" } = store;
	await using closing = new AsyncDisposableStack();
	const snapshot = closing.adopt(await store.snapshot(), (taken) => taken.close());
	await refuseUsed(snapshot, (await store.time?.()) ?? now());
	const present = await firstWithDocuments(snapshot, archived);
	if (!force && (await isHalfImported(store)))
		throw new ArchiveError("An import into this store has not finished; with --force the store is emptied first");
	if (!force && present)
		throw new ArchiveError(`The store is not empty: ${at} has "${present.name}"; with --force it is emptied`);
	if (present) say(`The ${at} is emptied: it has ${await inventory(snapshot, archived)}`);
	await markImport(store, "begun");
	for (const collection of archived) await empty(store, snapshot, collection);
}

/** The processes of a platform announce themselves every ten seconds, and some of them hold leases. */
async function refuseUsed(snapshot: StoreSnapshot, at: number): Promise<void> {
	for await (const { document } of snapshot.documents(leaseCollection)) {
		const { id, holder = "", until = 0 } = document;
		if (id !== importLease && holder !== "" && until > now()) throw used(`it holds the lease "${id}"`);
	}
	for await (const { document } of snapshot.documents(processCollection)) {
		const { wire, seen = 0 } = document;
		if (seen < at - endedAfterMs) continue;
		const { services, machine_name: machine } = JSON.parse(wire) as ProcessEntry;
		throw used(`"${services.join(" ")}" on "${machine}"`);
	}
}

function used(by: string): ArchiveError {
	return new ArchiveError(
		`A platform uses this store (${by}): stop all of its processes first; one that was killed counts as ended after ` +
			`${endedAfterMs / 1_000} s`,
	);
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

/** Returns the counts of documents in words, the largest collections first. */
async function inventory(snapshot: StoreSnapshot, collections: readonly Collection[]): Promise<string> {
	const counts: [name: string, count: number][] = [];
	for (const collection of collections) {
		let count = 0;
		for await (const _ of snapshot.documents(collection)) count++;
		if (count > 0) counts.push([collection.name, count]);
	}
	const shown = counts.toSorted(([, one], [, other]) => other - one).map(([name, count]) => `${count} in "${name}"`);
	const documents = counts.reduce((sum, [, count]) => sum + count, 0);
	return `${documents} documents (${shown.join(", ")})`;
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
