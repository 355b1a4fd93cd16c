/**
 * Room inside the file of the embedded store and its log. A session that fills the disk cannot take it, so that stops and
 * deletions can still be written, which make room again.
 */
import type { DatabaseSync } from "node:sqlite";
import { codes, resultCode } from "./result-code.ts";

/**
 * Makes the file have at least so many bytes in free pages, and its log have the same size. A disk without that room is no
 * reason not to start.
 */
export function holdReserve(database: DatabaseSync, bytes: number): void {
	if (bytes === 0 || freeBytes(database) >= bytes) return;
	try {
		database.exec(
			`CREATE TABLE IF NOT EXISTS _reserve (filler BLOB); INSERT INTO _reserve VALUES (zeroblob(${bytes}))`,
		);
	} catch (error) {
		if (resultCode(error) !== codes.full) throw error;
	}
	try {
		// The pages of a dropped table stay in the file.
		database.exec("DROP TABLE IF EXISTS _reserve; PRAGMA wal_checkpoint(RESTART)");
	} catch (error) {
		if (resultCode(error) !== codes.full) throw error;
	}
}

function freeBytes(database: DatabaseSync): number {
	const free = database.prepare(
		"SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size",
	);
	return Number(free.get()?.["bytes"]);
}
