/**
 * Room inside the file of the embedded store and its log. A session that fills the disk cannot take it, so that stops and
 * deletions can still be written, which make room again. Other writes are refused before they need it, and use free pages
 * only while the disk has room to make new ones.
 */
import { statfsSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { codes, resultCode } from "./result-code.ts";

/** The disk is short when it has less than so many times the reserve: it has to take the log and new free pages. */
const shortReserves = 4;
/** Free pages are made again when less than this part of the reserve is left. */
const leastPart = 0.5;

/** Failures that are over when the disk has room, or when another use of the file has ended. */
const passing: ReadonlySet<number | undefined> = new Set([codes.full, codes.busy, codes.locked]);

export class EmbeddedReserve {
	readonly #database: DatabaseSync;
	readonly #folder: string;
	readonly #bytes: number;
	readonly #free: StatementSync;
	readonly #pageBytes: number;
	#refill: NodeJS.Immediate | undefined;

	/** Fills the reserve as far as the disk has room. @param bytes The size of the reserve; 0: none. */
	constructor(database: DatabaseSync, folder: string, bytes: number) {
		this.#database = database;
		this.#folder = folder;
		this.#bytes = bytes;
		this.#free = database.prepare("PRAGMA freelist_count");
		this.#pageBytes = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
		// The log is new at the start, so it gets its size here even if the file has free pages.
		if (bytes > 0) this.#fill();
	}

	/** Whether the disk has so little room that only writes are taken that make room. */
	get isShort(): boolean {
		return this.#bytes > 0 && this.#roomBytes() < shortReserves * this.#bytes;
	}

	/** Makes free pages again soon when too few are left and the disk has room. */
	keep(): void {
		if (this.#bytes === 0 || this.#refill || this.#freeBytes() >= leastPart * this.#bytes) return;
		this.#refill = setImmediate(() => {
			this.#refill = undefined;
			try {
				if (!this.isShort) this.#fill();
			} catch {
				// The next write meets the same failure, and its caller is told.
			}
		});
	}

	close(): void {
		clearImmediate(this.#refill);
	}

	/**
	 * Makes the file have so many bytes in free pages, and its log have the same size. A disk without that room is no
	 * reason not to start; and the next write that finds too few free pages tries it again.
	 */
	#fill(): void {
		const filling = `CREATE TABLE IF NOT EXISTS _reserve (filler BLOB); INSERT INTO _reserve VALUES (zeroblob(${this.#bytes}))`;
		// The pages of removed rows stay in the file.
		for (const sql of [filling, "DELETE FROM _reserve; PRAGMA wal_checkpoint(RESTART)"]) this.#tryTo(sql);
	}

	#tryTo(sql: string): void {
		try {
			this.#database.exec(sql);
		} catch (error) {
			if (!passing.has(resultCode(error))) throw error;
		}
	}

	#freeBytes(): number {
		return Number(this.#free.get()?.["freelist_count"]) * this.#pageBytes;
	}

	/** A disk that does not answer counts as one with room: the write itself says what is wrong. */
	#roomBytes(): number {
		try {
			const { bavail, bsize } = statfsSync(this.#folder);
			return bavail * bsize;
		} catch {
			return Infinity;
		}
	}
}
