/**
 * Caches rows that were recently read by their id. One process owns the database, so a row stays valid until this
 * process writes it; the writer removes it from the cache in the same step of the event loop.
 */
import type { SQLOutputValue } from "node:sqlite";
import type { SqlRow } from "./embedded/embedded-sql.ts";

export interface CacheLimits {
	/** The count of cached documents; the ones cached first are removed first. */
	readonly documents: number;
	/** The length of the longest text in a cached row, in characters. */
	readonly textLength: number;
}

/** The long texts of all cached documents together have at most 4 MB. */
const defaultLimits: CacheLimits = { documents: 1_000, textLength: 4_096 };

export class RowCache {
	readonly #limits: CacheLimits;
	/** Rows by document, in the order of caching, and then by the statement that read them. */
	readonly #rows = new Map<string, Map<string, SqlRow>>();

	constructor(limits: CacheLimits = defaultLimits) {
		this.#limits = limits;
	}

	get(collection: string, id: string, statement: string): SqlRow | undefined {
		return this.#rows.get(nameOf(collection, id))?.get(statement);
	}

	/** Caches a row. @param row The row, which must not be modified afterwards. */
	store(collection: string, id: string, statement: string, row: SqlRow): void {
		if (Object.values(row).some((value) => this.#isLong(value))) return;
		const name = nameOf(collection, id);
		const rows = this.#rows.get(name);
		if (rows) rows.set(statement, row);
		else this.#rows.set(name, new Map([[statement, row]]));
		const [oldest] = this.#rows.size > this.#limits.documents ? this.#rows.keys() : [];
		if (oldest !== undefined) this.#rows.delete(oldest);
	}

	forget(collection: string, id: string): void {
		this.#rows.delete(nameOf(collection, id));
	}

	#isLong(value: SQLOutputValue): boolean {
		return typeof value === "string" && value.length > this.#limits.textLength;
	}
}

function nameOf(collection: string, id: string): string {
	return `${collection}:${id}`;
}
