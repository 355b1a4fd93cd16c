/**
 * The log of the embedded store's file, in which SQLite puts commits (its write-ahead log). It is synced here and not by
 * SQLite, whose sync would stop the event loop for as long as the disk takes.
 */
import { closeSync, fdatasync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

const fdatasyncLater = promisify(fdatasync);

export class EmbeddedLog {
	readonly #descriptor: number;

	/**
	 * Opens the log, whose entry in its folder is durable from then on. No locks are lost by that: SQLite has them on the database.
	 * @param path The path of the database, which is open.
	 */
	constructor(path: string) {
		this.#descriptor = openSync(`${path}-wal`, "r+");
		const folder = openSync(dirname(path), "r");
		try {
			fsyncSync(folder);
		} finally {
			closeSync(folder);
		}
	}

	/** Resolves when everything that was written before the call is on the disk. @throws {Error} when the disk fails. */
	sync(): Promise<void> {
		return fdatasyncLater(this.#descriptor);
	}

	close(): void {
		closeSync(this.#descriptor);
	}
}
