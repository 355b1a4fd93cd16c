/** Writes the archive of an installation, which may run and be written to meanwhile. */
import { existsSync } from "node:fs";
import { walkFolder } from "#shared/base/files/folder-walk.ts";
import { isoTime } from "#shared/base/clock.ts";
import { release } from "#shared/config/release.ts";
import { keyPrintOf } from "#shared/store/key-print.ts";
import { keyPrint } from "#shared/base/secrets/keys.ts";
import type { StoreSnapshot } from "#shared/store/port/lifecycle.ts";
import {
	ArchiveError,
	type ArchiveKind,
	type ArchiveManifest,
	archiveVersion,
	sectionNames,
} from "./archive-format.ts";
import { keyOf } from "./archived-key.ts";
import { ArchiveWriter } from "./archive-writer.ts";
import { writeDocuments } from "./archived-documents.ts";
import { writeFiles } from "./archived-files.ts";
import { type ListedSessions, listSessions, writeSessions } from "./archived-sessions.ts";
import { wasHalfImported } from "./import-mark.ts";
import { type ArchiveOrder, hostFolder, type Installation, interruptedRestore, storeFolder } from "./installation.ts";
import { sealKey } from "./sealed-key.ts";

export interface WriteOrder extends ArchiveOrder {
	readonly kind: ArchiveKind;
	/** Whether the files of sessions are part of it. */
	readonly workspaces: boolean;
}

/** The folders of the credential store that hold no credentials. */
const lockFolder = /^\.locks(\/|$)/;

/** Writes an archive. @throws {ArchiveError} or an error of the store, whose sentence is for the person. */
export async function writeArchive(place: Installation, order: WriteOrder): Promise<ArchiveManifest> {
	const sessions = order.workspaces && order.kind === "backup" ? await listSessions(place) : undefined;
	await using closing = new AsyncDisposableStack();
	const store = closing.adopt(await place.newStore(storeFolder(place)), (opened) => opened.close());
	const interrupted = store.isShared ? undefined : interruptedRestore(storeFolder(place));
	if (interrupted !== undefined) throw new ArchiveError(`Half of the data is no backup: ${interrupted}`);
	const snapshot = closing.adopt(await store.snapshot(), (taken) => taken.close());
	if (await wasHalfImported(snapshot))
		throw new ArchiveError("Half of the data is no backup: an import into the store has not finished");
	return await writeAll({ place, order, sessions }, snapshot);
}

interface Writing {
	readonly place: Installation;
	readonly order: WriteOrder;
	/** The sessions whose files are part of it; undefined: those of none. */
	readonly sessions: ListedSessions | undefined;
}

async function writeAll(writing: Writing, snapshot: StoreSnapshot): Promise<ArchiveManifest> {
	const { place, order } = writing;
	const { path, kind, say } = order;
	const since = isoTime(snapshot.since);
	const key = await keyStateOf(place, snapshot);
	if (key.isOther && order.passphrase !== undefined)
		throw new ArchiveError(
			`The installation key of "${place.dataDir}" is not that of the store: put the former key back, or leave the key out`,
		);
	const header = { version: archiveVersion, kind, release: release(), since, ...(key.print && { key: key.print }) };
	await using writer = await ArchiveWriter.create(path, header);
	await writeDocuments(writer, snapshot, place.collections, (name, documents) =>
		say(`${name}: ${documents} documents`),
	);
	const missing = kind === "export" ? [] : await writeRest(writer, writing);
	if (key.isOther) missing.push("The installation key of the store, which is not the present one");
	const manifest = await writer.finish(missing);
	say(`Every change that was acknowledged before ${since} is in "${path}"`);
	return manifest;
}

/** Returns the fingerprint of the key that the store belongs to, and whether the present key is another one. */
async function keyStateOf(
	place: Installation,
	snapshot: StoreSnapshot,
): Promise<{ print: string | undefined; isOther: boolean }> {
	const [stored, present] = [await keyPrintOf(snapshot), keyOf(place)];
	const print = present === undefined ? undefined : keyPrint(present);
	return { print: stored ?? print, isOther: stored !== undefined && print !== undefined && stored !== print };
}

/** Writes what is not in the store; returns sentences about what is left out. */
async function writeRest(writer: ArchiveWriter, { place, order, sessions }: Writing): Promise<string[]> {
	const { passphrase, say } = order;
	const missing: string[] = [];
	const writeFolder = async (name: string, path: string, skips?: RegExp) => {
		writer.section(sectionNames.files(name));
		const left = await writeFiles(writer, { name, entries: walkFolder(path, skips), prefix: "" });
		say(`${name}: ${writer.entries} entries of files`);
		if (left !== undefined) missing.push(left);
	};
	if (place.credentials !== undefined && existsSync(place.credentials))
		await writeFolder("credentials", place.credentials, lockFolder);
	else missing.push("Stored credentials: there are none in files on this machine");
	if (existsSync(hostFolder(place))) await writeFolder("host", hostFolder(place));
	if (sessions) {
		writer.section(sectionNames.files("sessions"));
		missing.push(...(await writeSessions(writer, place, sessions)));
		say(`sessions: ${writer.entries} entries of files`);
	} else missing.push("The files of sessions: ask for them with --workspaces");
	const key = keyOf(place);
	if (passphrase !== undefined && key !== undefined) {
		writer.section(sectionNames.key);
		await writer.entry(sealKey(key, passphrase));
	} else missing.push("The installation key: give a passphrase with --passphrase-file, or keep the key elsewhere");
	missing.push("The configuration, its files, and the variables of the environment with secrets");
	return missing;
}
