/** Prepares a store that several processes share for the documents of an archive. */
import { monotonic, now, sleep } from "#shared/base/clock.ts";
import type { ProcessEntry } from "#shared/contracts/processes.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { processCollection } from "../presence/process-collection.ts";
import { endedAfterMs } from "../presence/process-registry.ts";
import type { Collection, Document } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { maxRemoved } from "#shared/store/port/documents.ts";
import type { StoreSnapshot } from "#shared/store/port/lifecycle.ts";
import { ArchiveError } from "./archive-format.ts";
import { archivedCollections } from "./archived-documents.ts";
import { importLease } from "./import-turn.ts";
import { importCollection, isHalfImported } from "./import-mark.ts";

/** How long a lease is watched, longer than any lasts that nobody renews, and the interval of looks, in milliseconds. */
const watchMs = 5_000;
const lookMs = 250;

/** Opens the store with what is needed to fill it beside others. */
export function openSharedStore(store: DocumentStore, collections: readonly Collection[]): Promise<void> {
	return store.open([...collections, leaseCollection, processCollection, importCollection]);
}

/** Reads the store and changes nothing. @throws {ArchiveError} when it has documents that are to stay, or a platform uses it. */
export async function refuseSharedStore(
	store: DocumentStore,
	collections: readonly Collection[],
	force: boolean,
): Promise<void> {
	await using closing = new AsyncDisposableStack();
	const snapshot = closing.adopt(await store.snapshot(), (taken) => taken.close());
	await refuseRunning(snapshot, (await store.time?.()) ?? now());
	if (!force) await refuseFilled(store, snapshot, archivedCollections(collections));
	await refuseHeld(store, snapshot);
}

async function refuseFilled(
	store: DocumentStore,
	snapshot: StoreSnapshot,
	collections: readonly Collection[],
): Promise<void> {
	if (await isHalfImported(store))
		throw new ArchiveError("An import into this store has not finished; with --force the store is emptied first");
	const present = await firstWithDocuments(snapshot, collections);
	if (present)
		throw new ArchiveError(
			`The store is not empty: ${placeOf(store)} has "${present.name}"; with --force it is emptied`,
		);
}

/** Says what the store has, and removes that. */
export async function emptySharedStore(
	store: DocumentStore,
	collections: readonly Collection[],
	say: (line: string) => void,
): Promise<void> {
	const archived = archivedCollections(collections);
	await using closing = new AsyncDisposableStack();
	const snapshot = closing.adopt(await store.snapshot(), (taken) => taken.close());
	if (await firstWithDocuments(snapshot, archived))
		say(`The ${placeOf(store)} is emptied: it has ${await inventory(snapshot, archived)}`);
	for (const collection of archived) await empty(store, snapshot, collection);
}

function placeOf({ place = "store" }: DocumentStore): string {
	return place;
}

/** @throws {ArchiveError} when a process of a platform has announced itself, perhaps a moment ago. */
export async function refuseJoined(store: DocumentStore): Promise<void> {
	await using closing = new AsyncDisposableStack();
	const snapshot = closing.adopt(await store.snapshot(), (taken) => taken.close());
	await refuseRunning(snapshot, (await store.time?.()) ?? now());
}

/** The processes of a platform announce themselves every ten seconds, by the clock of the store. */
async function refuseRunning(snapshot: StoreSnapshot, at: number): Promise<void> {
	for await (const { document } of snapshot.documents(processCollection)) {
		const { wire, seen = 0 } = document;
		if (seen < at - endedAfterMs) continue;
		const { services, machine_name: machine } = JSON.parse(wire) as ProcessEntry;
		throw used(`"${services.join(" ")}" on "${machine}"`);
	}
}

/**
 * Some processes of a platform hold leases, and renew them every second. A lease is watched for its whole length, because the
 * end that its holder has written is by the clock of another machine. A platform that has ended in order holds none.
 */
async function refuseHeld(store: DocumentStore, snapshot: StoreSnapshot): Promise<void> {
	const held: LeaseDocument[] = [];
	for await (const { document } of snapshot.documents(leaseCollection))
		if (document.id !== importLease && isHeld(document)) held.push(document);
	for (const begun = monotonic(); held.length > 0 && monotonic() - begun < watchMs; await sleep(lookMs))
		for (const lease of held)
			if (isRenewed(lease, await store.get(leaseCollection, lease.id))) throw used(`it holds the lease "${lease.id}"`);
}

type LeaseDocument = Document<(typeof leaseCollection)["columns"]>;

function isHeld({ holder = "" }: LeaseDocument): boolean {
	return holder !== "";
}

/** Whether somebody has renewed or taken a lease since it was seen, and has it still. */
function isRenewed({ until, fence }: LeaseDocument, found: LeaseDocument | undefined): boolean {
	return found !== undefined && isHeld(found) && (found.until !== until || found.fence !== fence);
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
