/**
 * Ensures that a session and a workspace have at most one agent each, in any generation: the agent holds the lock on a
 * file in the session's own folder, and on one beside the workspace (docs/decisions/0017-processes-of-a-session.md).
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The wait for an agent that is ending: the kernel releases its lock when the last of its threads has ended. */
const patienceMs = 250;
/** The error code SQLITE_BUSY: another connection has the lock. */
const busy = 5;

/**
 * Locks the session for as long as this process lives. Returns false when another process has the lock. The kernel
 * holds it (fcntl(2), through SQLite, which is part of Node): it ends with the process in any case, and child
 * processes do not inherit it.
 * @param folder The folder of the session's records, or the one of the workspace; it is made when it is missing.
 * @throws {Error} when the file cannot be used.
 */
export function holdSession(folder: string): boolean {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const file = new DatabaseSync(join(folder, "lock"), { timeout: patienceMs });
	try {
		// Nothing is ever written. With an exclusive transaction, two processes that begin at the same moment could both
		// be refused.
		file.exec("BEGIN IMMEDIATE");
	} catch (error) {
		file.close();
		if (error instanceof Error && "errcode" in error && error.errcode === busy) return false;
		throw error;
	}
	held.push(file);
	return true;
}

/** A connection without a reference would be closed, and the lock released. */
const held: DatabaseSync[] = [];
