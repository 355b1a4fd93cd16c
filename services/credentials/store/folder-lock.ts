/**
 * A lock between processes on one folder. The kernel holds it (fcntl(2), through SQLite, which is part of Node), so it
 * ends with its process in any case.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { monotonic, sleep } from "#shared/base/clock.ts";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { UnavailableError } from "#shared/base/errors.ts";

/** The longest wait for the lock, in milliseconds; a change holds it for a few. */
const patienceMs = 5_000;
const pauseMs = 5;
/** The error code SQLITE_BUSY: another connection has the lock. */
const busy = 5;

/** The locks of many folders. A folder's work waits for no other folder's. */
export class FolderLocks {
	readonly #turns = new KeyedQueues();

	/**
	 * Runs the work when no other one has the lock of this folder, in this process or in another. @throws
	 * {UnavailableError} when another process has it for longer than 5 s.
	 */
	run<T>(folder: string, work: () => Promise<T>): Promise<T> {
		return this.#turns.run(folder, () => runLocked(folder, work));
	}
}

async function runLocked<T>(folder: string, work: () => Promise<T>): Promise<T> {
	makeFolder(folder);
	const file = new DatabaseSync(join(folder, ".lock"), { timeout: 0 });
	try {
		await lock(file);
		return await work();
	} finally {
		file.close();
	}
}

async function lock(file: DatabaseSync): Promise<void> {
	const end = monotonic() + patienceMs;
	while (!isLocked(file)) {
		if (monotonic() > end) throw new UnavailableError("The credentials are being changed by another process");
		await sleep(pauseMs);
	}
}

/** Tries once. Nothing is ever written into the file. */
function isLocked(file: DatabaseSync): boolean {
	try {
		file.exec("BEGIN IMMEDIATE");
		return true;
	} catch (error) {
		if (error instanceof Error && "errcode" in error && error.errcode === busy) return false;
		throw error;
	}
}
