/** Keeps two restores into one data folder apart: SQLite's lock of an empty file, which ends with its process. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { codes, resultCode } from "#shared/store/embedded/result-code.ts";
import { ArchiveError } from "./archive-format.ts";

/**
 * Refuses to work as another user than the one of the data folder: what root reads leaves files of root there. A folder of root in which
 * others work is a volume, such as those of a cluster, which belong to root and to the group of the pod.
 * @throws {ArchiveError}
 */
export function refuseForeignUser(dataDir: string): void {
	const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
	if (owner === undefined || owner === 0 || owner === process.getuid?.()) return;
	throw new ArchiveError(
		`"${dataDir}" belongs to the user with the id ${owner}: run this command as that user, or the platform cannot use the files that it makes`,
	);
}

/** The right to replace what is in a data folder. */
export class RestoreLock implements Disposable {
	readonly #path: string;
	readonly #database: DatabaseSync;

	private constructor(path: string, database: DatabaseSync) {
		this.#path = path;
		this.#database = database;
	}

	/** @throws {ArchiveError} while another restore has it, or when the folder belongs to another user. */
	static take(dataDir: string): RestoreLock {
		try {
			makeFolder(dataDir);
		} catch (cause) {
			throw new ArchiveError(`Cannot make the data folder "${dataDir}" (DATA_DIR): ${(cause as Error).message}`, {
				cause,
			});
		}
		refuseForeignUser(dataDir);
		const path = join(dataDir, "restore.lock");
		for (;;) {
			const before = fileAt(path);
			const database = new DatabaseSync(path);
			const failure = lockFailure(database);
			// The former holder may have removed the file after it was opened here: its lock says nothing of the next file.
			const isInPlace = before !== undefined && before === fileAt(path);
			if (isInPlace && !failure) return new RestoreLock(path, database);
			database.close();
			if (resultCode(failure) === codes.busy) throw new ArchiveError(`Another restore into "${dataDir}" is under way`);
			if (isInPlace) throw failure;
		}
	}

	/** The file is removed while it is locked, so that nobody's file is removed but this one. */
	[Symbol.dispose](): void {
		rmSync(this.#path, { force: true });
		this.#database.close();
	}
}

/** Returns what no other file has had at this path; undefined: there is no file. */
function fileAt(path: string): string | undefined {
	const found = statSync(path, { bigint: true, throwIfNoEntry: false });
	return found && `${found.dev} ${found.ino} ${found.birthtimeNs}`;
}

/** Locks the file; returns the error when that fails. SQLite itself refuses a file that was removed. */
function lockFailure(database: DatabaseSync): Error | undefined {
	try {
		database.exec("BEGIN EXCLUSIVE");
		return undefined;
	} catch (error) {
		return error instanceof Error ? error : new Error(String(error));
	}
}
