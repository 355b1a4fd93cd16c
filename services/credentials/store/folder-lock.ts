/**
 * A lock between processes on one folder. The kernel holds it (fcntl(2), through SQLite, which is part of Node), so it
 * ends with its process in any case.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { monotonic, sleep } from "#shared/base/clock.ts";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { UnavailableError } from "#shared/base/errors.ts";

/** The longest wait for the lock, in milliseconds; a change holds it for a few. */
const patienceMs = 5_000;
const pauseMs = 5;
/** The error code SQLITE_BUSY: another connection has the lock. */
const busy = 5;

/** The lock of one folder. */
class FolderLock {
	readonly #folder: string;
	/** The end of the newest work of this process. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(folder: string) {
		this.#folder = folder;
	}

	/**
	 * Runs the work when no other one has the lock, in this process or in another. @throws {UnavailableError} when that
	 * takes longer than 5 s.
	 */
	run<T>(work: () => Promise<T>): Promise<T> {
		const run = this.#last.then(() => this.#runLocked(work));
		this.#last = run.catch(() => {});
		return run;
	}

	async #runLocked<T>(work: () => Promise<T>): Promise<T> {
		makeFolder(this.#folder);
		const file = new DatabaseSync(join(this.#folder, ".lock"), { timeout: 0 });
		try {
			await lock(file);
			return await work();
		} finally {
			file.close();
		}
	}
}

/** The locks of many folders. A folder's work waits for no other folder's. */
export class FolderLocks {
	/** The locks that have work, with the count of it. */
	readonly #busy = new Map<string, { readonly lock: FolderLock; runs: number }>();

	/** Runs the work when no other one has the lock of this folder. @throws {UnavailableError} as the lock does. */
	async run<T>(folder: string, work: () => Promise<T>): Promise<T> {
		const own = this.#busy.get(folder) ?? { lock: new FolderLock(folder), runs: 0 };
		this.#busy.set(folder, own);
		own.runs++;
		try {
			return await own.lock.run(work);
		} finally {
			own.runs--;
			if (own.runs === 0) this.#busy.delete(folder);
		}
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
