/**
 * Migrations of stored data. A service declares them beside its collections, and the process runs those that have not
 * run yet before its parts are composed: each once, whichever process is first, in the order of their versions.
 *
 * A change of the stored form takes two releases, because processes of the one before run beside new ones. The first
 * one *expands*: it writes both forms and reads either, and its migration fills in the new one. The next one
 * *contracts*: its migration removes the old form, which no process reads any more (docs/upgrade.md).
 * @example
 * ```ts
 * // services/notes/compose.ts
 * export const migrations = [
 * 	{ version: 1, name: "fold titles", kind: "expand", run: (work) => foldTitles(work) },
 * ] as const satisfies readonly Migration[];
 * ```
 */
import type { DocumentStore } from "../document-store.ts";

export interface MigrationWork {
	readonly store: DocumentStore;
	/** The last text that was given to `reached`, in this process or in one that died; undefined at the beginning. */
	readonly position: string | undefined;
	/**
	 * Stores how far the migration is, e.g. the cursor of a page. It goes on from there after a kill, and repeats what
	 * came after. @throws {MigrationLost} when another process goes on with it.
	 */
	readonly reached: (position: string) => Promise<void>;
	/** Tells the person who started the process, e.g. `12,000 of 80,000 sessions`; a few times a minute at most. */
	readonly say: (progress: string) => void;
}

/** One migration. What is published is never changed and its number never used again. */
export interface Migration {
	/** Counts the migrations of a service from 1. */
	readonly version: number;
	/** A few words that complete "migration 3, ". */
	readonly name: string;
	/** Whether the release before still understands the data afterwards. */
	readonly kind: "expand" | "contract";
	/** Runs or continues the migration. Every step may be repeated, so it leads to the same data then. */
	readonly run: (work: MigrationWork) => Promise<void>;
}

/** The migrations of the services of one process, by the service's name. */
export type Migrations = ReadonlyMap<string, readonly Migration[]>;

/** Another process has the migration now. */
export class MigrationLost extends Error {
	override readonly name = "MigrationLost";
}
