/** The parts of an installation that an archive may have, and where they are. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Collection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";

/** An installation as its configuration describes it. */
export interface Installation {
	readonly dataDir: string;
	readonly collections: readonly Collection[];
	/** Returns a new instance of the configured store, which is not open. @param folder Where a store of one process is. */
	readonly newStore: (folder: string) => Promise<DocumentStore>;
	/** The folder of the stored credentials; undefined when they are kept elsewhere. */
	readonly credentials: string | undefined;
	/** The installation key of the configuration; empty: it is in the data folder. */
	readonly configuredKey: string;
	/** Changes the documents of a backup in the store that has got them; absent: nothing has to be changed. */
	readonly afterRestore?: (store: DocumentStore) => Promise<void>;
	/**
	 * Ends what still works with the files of the data folder, while no platform runs; absent: nothing does.
	 * @throws {ArchiveError} when something does not end.
	 */
	readonly endWork?: (say: (line: string) => void) => Promise<void>;
	/**
	 * Opens the reader of sessions' files that belong to another user; absent, or resolves to undefined: there is none.
	 * @throws {Error} when it cannot work now.
	 */
	readonly sessionFiles?: () => Promise<SessionFiles | undefined>;
}

/** Reads the files of sessions that this process may not read. */
export interface SessionFiles extends AsyncDisposable {
	/**
	 * Resolves to the entries of the folder of a session or a workspace in their order (shared/base/files/folder-walk.ts), which nobody
	 * has checked. The iteration throws when a session has made it fail.
	 * @throws {Error} when nothing can be read.
	 */
	read(id: string): Promise<AsyncIterable<unknown>>;
}

/** The person's wishes about an archive, and how the person is told. */
export interface ArchiveOrder {
	readonly path: string;
	readonly say: (line: string) => void;
	/** The passphrase that seals the installation key; absent: the key is left out. */
	readonly passphrase?: string;
}

export function storeFolder({ dataDir }: Installation): string {
	return join(dataDir, "store");
}

/** Returns the folder with workspaces and the records of session agents. */
export function sessionsFolder({ dataDir }: Installation): string {
	return join(dataDir, "sessions");
}

/** Returns the folder with the id of the host, to which sessions with files there are bound. */
export function hostFolder({ dataDir }: Installation): string {
	return join(dataDir, "host");
}

export function keyFile({ dataDir }: Installation): string {
	return join(dataDir, "keys", "installation");
}

/** Returns the folder in which a folder of the installation is restored before it takes its place. */
export function restoringFolder(target: string): string {
	return `${target}.restoring`;
}

/** Returns a free name for what is moved aside; restores that follow each other at once have the same stamp. */
export function asideName(target: string, stamp: string): string {
	const name = `${target}.before-${stamp}`;
	let free = name;
	for (let n = 2; existsSync(free); n++) free = `${name}-${n}`;
	return free;
}

/** Returns a sentence about a restore that was interrupted; undefined when there is none. */
export function interruptedRestore(store: string): string | undefined {
	const folder = restoringFolder(store);
	return existsSync(folder)
		? `a restore has not finished ("${folder}"); run it again, with --force (docs/backup.md)`
		: undefined;
}
