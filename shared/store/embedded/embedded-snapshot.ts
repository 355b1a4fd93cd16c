/** Reads a whole file of the embedded store: a copy of it, or the file itself while nobody has opened it. */
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Collection, Columns } from "../collection.ts";
import type { StoreSnapshot, WholeDocument } from "../port/lifecycle.ts";
import { quoted } from "./embedded-names.ts";
import { documentOf, entriesOf, memberList } from "./embedded-sql.ts";

/** The documents of one file that no other process changes. */
export class EmbeddedSnapshot implements StoreSnapshot {
	readonly since: number;
	readonly #database: DatabaseSync;
	readonly #release: () => Promise<void>;

	/** @param release Called when the file is closed. */
	constructor(database: DatabaseSync, since: number, release: () => Promise<void>) {
		this.since = since;
		this.#database = database;
		this.#release = release;
	}

	async *documents<C extends Columns>(collection: Collection<C>): AsyncGenerator<WholeDocument<C>> {
		const rows = this.#database.prepare("SELECT name FROM pragma_table_info(?)").all(collection.name);
		const present = new Set(rows.map(({ name }) => name));
		if (present.size === 0) return;
		// A file of an older release lacks the columns that were added since.
		const columns = Object.keys(collection.columns).filter((column) => present.has(column));
		const members = memberList(collection, columns);
		const text = `SELECT ${members}, _outbox FROM ${quoted(collection.name)} ORDER BY id`;
		for (const { _outbox, ...row } of this.#database.prepare(text).iterate())
			yield { document: documentOf(collection, row), events: entriesOf(_outbox) };
	}

	async close(): Promise<void> {
		if (this.#database.isOpen) this.#database.close();
		await this.#release();
	}
}

/** Returns a snapshot of a copy, which is removed when the snapshot is closed. */
export function snapshotOfCopy(path: string, since: number): EmbeddedSnapshot {
	return new EmbeddedSnapshot(new DatabaseSync(path, { readOnly: true }), since, () =>
		rm(dirname(path), { recursive: true, force: true }),
	);
}
