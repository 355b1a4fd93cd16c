/**
 * Restores an archive into an empty installation. The whole archive is checked before anything changes. A store of one
 * process and folders are filled beside their place and then take it; a shared store has a mark while it is filled, with
 * which no platform starts.
 */
import { constants, existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import { isoTime } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { replaceOpen } from "#shared/base/files/replaced-file.ts";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { StartError } from "#shared/base/start-error.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { codes, resultCode } from "#shared/store/embedded/result-code.ts";
import { ArchiveError, type ArchiveKind, type ArchiveManifest, sectionNames } from "./archive-format.ts";
import { type ArchiveEnds, readArchive } from "./archive-reader.ts";
import { DocumentLoader } from "./archived-documents.ts";
import { FileLoader } from "./restored-files.ts";
import { keyOf, settledKey } from "./archived-key.ts";
import { orSayHalfDone } from "./half-done.ts";
import { ImportTurn } from "./import-turn.ts";
import {
	type ArchiveOrder,
	asideName,
	hostFolder,
	type Installation,
	keyFile,
	restoringFolder,
	sessionsFolder,
	storeFolder,
} from "./installation.ts";
import { loadStore } from "./loaded-store.ts";
import { PlacedFolder } from "./placed-folder.ts";
import { RestoreLock } from "./restore-lock.ts";
import { openKey, type SealedKey, sealedKeyOf } from "./sealed-key.ts";
import { emptySharedStore, openSharedStore, refuseJoined, refuseSharedStore } from "./shared-target.ts";

export interface RestoreOrder extends ArchiveOrder {
	/** `backup` restores everything; `export` imports the documents only. */
	readonly kind: ArchiveKind;
	/** Whether data that is there is replaced. */
	readonly force: boolean;
	/** Whether what only the archive's installation key can read is given up; default: no. */
	readonly withoutKey?: boolean;
}

interface CheckedArchive extends ArchiveEnds {
	/** The key, when a passphrase has opened it. */
	readonly key: string | undefined;
	/** Whether the archive has the key, sealed. */
	readonly isSealed: boolean;
}

/** Reads the whole archive and changes nothing. @throws {ArchiveError} when it cannot be restored as it is. */
export async function checkArchive(place: Installation, order: ArchiveOrder): Promise<CheckedArchive> {
	const documents = new DocumentLoader(place.collections);
	const files = new Map<string, FileLoader>();
	let sealed: SealedKey | undefined;
	const ends = await readArchive(order.path, (section, value) => {
		if (DocumentLoader.isOf(section)) return documents.take(section, value);
		if (section === sectionNames.key) return void (sealed = sealedKeyOf(value));
		if (!folderNames.some((name) => section === sectionNames.files(name)))
			throw new ArchiveError(`The archive has "${section}", which this release does not know; use a newer one`);
		const loader = files.get(section) ?? new FileLoader();
		files.set(section, loader);
		return loader.take(value);
	});
	const key = sealed && order.passphrase !== undefined ? openKey(sealed, order.passphrase) : undefined;
	return { ...ends, key, isSealed: sealed !== undefined };
}

const folderNames = ["credentials", "sessions", "host"] as const;

/** Restores an archive. @throws {ArchiveError} and nothing is changed, or an error of the store or the disk. */
export async function restoreArchive(place: Installation, order: RestoreOrder): Promise<void> {
	const { say } = order;
	const checked = await checkArchive(place, order);
	const { header, manifest } = checked;
	if (order.kind === "backup" && header.kind === "export")
		throw new ArchiveError("The archive has only the documents of a store: use npm run import");
	say(`The archive is whole: release ${header.release}, as of ${header.since}`);
	const opened = order.kind === "backup" ? checked.key : undefined;
	refuseOtherKey(place, opened, order.force);
	const archived = { print: header.key, isSealed: checked.isSealed, opened };
	const key = settledKey(place, archived, order.withoutKey === true);
	await using closing = new AsyncDisposableStack();
	const store = closing.adopt(await place.newStore(storeFolder(place)), (opened) => opened.close());
	await fillPlace({ place, order, manifest, key }, store);
	for (const sentence of manifest.missing) say(`Not in the archive: ${sentence}`);
}

interface Checked {
	readonly place: Installation;
	readonly order: RestoreOrder;
	readonly manifest: ArchiveManifest;
	/** The key of the installation after the restore. */
	readonly key: string;
}

interface Job extends Checked {
	/** The folders with files, by the names of their sections. */
	readonly folders: ReadonlyMap<string, PlacedFolder>;
	/** All folders, that of an embedded store last. */
	readonly placed: readonly PlacedFolder[];
}

/** @param store The store that is there; one of a single process is locked until it is replaced. */
async function fillPlace(checked: Checked, store: DocumentStore): Promise<void> {
	const { place, order, manifest } = checked;
	const folders = foldersOf(place, manifest, order.kind);
	const ownStore = store.isShared ? [] : [new PlacedFolder(storeFolder(place))];
	const placed = [...folders.values(), ...ownStore];
	using _lock = placed.length > 0 ? RestoreLock.take(place.dataDir) : undefined;
	if (!order.force) for (const folder of placed) await folder.refusePresent();
	const job = { ...checked, folders, placed };
	// The lock ends with this function, so it waits.
	if (store.isShared) return await fillShared(job, store);
	await lockPresent(place, store, order);
	await endWork(job);
	await load(job);
	await orSayHalfDone(() => takePlaces(job));
}

/** A shared store stays marked until the files of the archive are in their places too. */
async function fillShared(job: Job, store: DocumentStore): Promise<void> {
	const { collections } = job.place;
	await openSharedStore(store, collections);
	await using turn = await ImportTurn.begin(store);
	await refuseSharedStore(store, collections, job.order.force);
	await endWork(job);
	await turn.claim(job.order.say);
	// A process that joins from now on sees the mark.
	await refuseJoined(store).catch(async (error: unknown) => {
		await turn.unclaim();
		throw error;
	});
	await orSayHalfDone(async () => {
		await emptySharedStore(turn.guard(store), collections, job.order.say);
		await load(job, turn);
		await takePlaces(job);
		await turn.settle();
	});
}

/** An agent that went on would write into the folders of before what people then miss. An import leaves the files. */
async function endWork({ place, order }: Job): Promise<void> {
	if (order.kind === "backup") await place.endWork?.(order.say);
}

/**
 * Fills the store and the folders beside their places; of a failure nothing remains but the mark of a shared store.
 * @param turn The turn of a shared store, which ends when another command fills it.
 */
async function load({ place, order, manifest, key, folders, placed }: Job, turn?: ImportTurn): Promise<void> {
	try {
		for (const folder of placed) await folder.begin();
		const change = order.kind === "backup" ? place.afterRestore : undefined;
		const guard = turn && ((store: DocumentStore) => turn.guard(store));
		const folder = restoringFolder(storeFolder(place));
		await loadStore(place, order, manifest, { folder, folders, key, guard, change });
		await turn?.confirm();
	} catch (error) {
		for (const folder of placed) await folder.discard();
		throw error;
	}
	failpoint("restore.loaded");
}

/** Puts the key and the folders into their places, the store last: until then no platform starts. */
async function takePlaces({ place, order, key, placed }: Job): Promise<void> {
	const stamp = isoTime().replaceAll(/[^\d]/g, "").slice(0, 14);
	await writeKey(place, key, stamp, order);
	for (const folder of placed) {
		const aside = await folder.place(stamp);
		if (aside !== undefined) order.say(`The data of before is in "${aside}"`);
		failpoint("restore.placed");
	}
}

/** Keeps platforms from the present store until it is replaced. @throws {StartError} when one has it. */
async function lockPresent(place: Installation, store: DocumentStore, { force, say }: RestoreOrder): Promise<void> {
	if (!existsSync(storeFolder(place))) return;
	try {
		await store.open([]);
	} catch (error) {
		const isInUse = error instanceof Error && resultCode(error.cause) === codes.busy;
		if (!force || isInUse || !(error instanceof StartError)) throw error;
		// No platform opens a damaged store either.
		say(`The present store is damaged: ${error.message}`);
	}
}

/** Returns the folders to restore, by the names of their sections; an import has none. */
function foldersOf(
	place: Installation,
	{ sections }: ArchiveManifest,
	kind: ArchiveKind,
): ReadonlyMap<string, PlacedFolder> {
	if (kind === "export") return new Map();
	const targets = { credentials: place.credentials, sessions: sessionsFolder(place), host: hostFolder(place) };
	const found = new Map<string, PlacedFolder>();
	for (const name of folderNames) {
		const section = sectionNames.files(name);
		const target = targets[name];
		if (sections[section] && target !== undefined) found.set(section, new PlacedFolder(target));
	}
	return found;
}

function refuseOtherKey(place: Installation, key: string | undefined, force: boolean): void {
	if (key === undefined) return;
	const present = keyOf(place);
	if (place.configuredKey !== "" && place.configuredKey !== key)
		throw new ArchiveError("The configuration has another installation key than the archive");
	if (present !== undefined && present !== key && !force)
		throw new ArchiveError(`"${keyFile(place)}" is another installation key; with --force it is moved aside`);
}

/** A former key is kept, because the former data is of no use without it. */
async function writeKey(place: Installation, key: string, stamp: string, { say }: RestoreOrder): Promise<void> {
	if (place.configuredKey !== "" || keyOf(place) === key) return;
	makeFolder(dirname(keyFile(place)));
	if (keyOf(place) !== undefined) {
		const aside = asideName(keyFile(place), stamp);
		await rename(keyFile(place), aside);
		say(`The installation key of before is in "${aside}"`);
	}
	await (await replaceOpen(keyFile(place), key, constants.O_WRONLY)).close();
}
