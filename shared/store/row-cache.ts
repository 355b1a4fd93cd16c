/**
 * Rows that were read by their id lately. One process has the database, so that a row which it does not write stays as
 * it is; whoever writes one forgets it, in the same step of the event loop.
 */
import type { SQLOutputValue } from "node:sqlite";
import type { SqlRow } from "./embedded/embedded-sql.ts";

export interface CacheLimits {
	/** Documents whose rows are kept, those that were kept last. */
	readonly documents: number;
	/** Characters of the longest text in a row that is kept. */
	readonly textLength: number;
}

/** At most 4 MB of the one long text that a document has. */
const defaultLimits: CacheLimits = { documents: 1_000, textLength: 4_096 };

export class RowCache {
	readonly #limits: CacheLimits;
	/** By document, in the order in which they were kept, then by the statement that reads it. */
	readonly #rows = new Map<string, Map<string, SqlRow>>();

	constructor(limits: CacheLimits = defaultLimits) {
		this.#limits = limits;
	}

	get(collection: string, id: string, statement: string): SqlRow | undefined {
		return this.#rows.get(nameOf(collection, id))?.get(statement);
	}

	/** @param row Must not be changed any more. */
	keep(collection: string, id: string, statement: string, row: SqlRow): void {
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
