/**
 * Never two agents of one session, whatever their generation: whoever has the lock on a file in the session's own
 * folder (docs/decisions/0017-processes-of-a-session.md).
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** For one that is ending: the kernel frees its lock when the last of its threads is gone. */
const patienceMs = 250;
/** SQLITE_BUSY: another connection has the lock. */
const busy = 5;

/**
 * Takes the session for as long as this process lives; false when another process has it. The lock is the kernel's
 * (fcntl(2), by way of SQLite, which Node brings along): it ends with the process, however that ends, and child
 * processes do not inherit it.
 * @param folder Of the session's own records; made when it is missing.
 * @throws {Error} when the file cannot be used.
 */
export function holdSession(folder: string): boolean {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const file = new DatabaseSync(join(folder, "lock"), { timeout: patienceMs });
	try {
		// Nothing is ever written; an exclusive one could be refused to both of two that begin at the same moment.
		file.exec("BEGIN IMMEDIATE");
	} catch (error) {
		file.close();
		if (error instanceof Error && "errcode" in error && error.errcode === busy) return false;
		throw error;
	}
	held.push(file);
	return true;
}

/** A connection that nothing refers to would be closed, and the lock with it. */
const held: DatabaseSync[] = [];
