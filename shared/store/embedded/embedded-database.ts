/** The SQLite file of the embedded store: one process has it, and a commit is on the disk before it counts. */
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { makeFolder } from "../../files/new-folder.ts";
import { StartError } from "../../start-error.ts";
import type { Collection } from "../collection.ts";
import { DuplicateKeyError } from "../document-store.ts";
import { applySchema } from "./embedded-schema.ts";
import type { Sql, SqlRow } from "./embedded-sql.ts";

const fileName = "atelier.db";
/** After a checkpoint the log on disk is cut back to this. */
const maxIdleLogBytes = 16 * 1024 * 1024;
/** Prepared statements kept; the code has far fewer forms of them. */
const maxStatements = 1_000;

const codes = { error: 1, busy: 5, constraint: 19 } as const;

export class EmbeddedDatabase {
	readonly #database: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();

	/** @throws {StartError} when another process, or this one, has the folder, or it cannot be used. */
	constructor(folder: string, collections: readonly Collection[]) {
		this.#database = openFile(folder);
		try {
			// In this order: when the lock is asked for first, SQLite keeps it and the log needs no shared memory.
			this.#database.exec("PRAGMA locking_mode = EXCLUSIVE");
			this.#database.exec("PRAGMA journal_mode = WAL");
			this.#database.exec("PRAGMA synchronous = FULL");
			this.#database.exec(`PRAGMA journal_size_limit = ${maxIdleLogBytes}`);
			applySchema(this.#database, collections);
		} catch (error) {
			this.#database.close();
			throw refusal(folder, error);
		}
	}

	/** The first row of what the statement returns. */
	first({ text, values }: Sql): SqlRow | undefined {
		return this.#prepared(text).get(...values);
	}

	all({ text, values }: Sql): SqlRow[] {
		return this.#prepared(text).all(...values);
	}

	/** Rows are read as they are asked for; nothing else may use the statement meanwhile. */
	each({ text, values }: Sql): Iterable<SqlRow> {
		return this.#prepared(text).iterate(...values);
	}

	/** How many rows the statement changed. */
	run({ text, values }: Sql): number {
		return Number(this.#prepared(text).run(...values).changes);
	}

	/**
	 * Runs the steps as one transaction, durable when this returns.
	 * @throws {Error} when a step throws or the disk refuses; then nothing has happened.
	 */
	transaction(steps: Iterable<() => void>): void {
		this.#database.exec("BEGIN IMMEDIATE");
		try {
			for (const step of steps) {
				step();
				// SQLite itself rolls back when the disk fails in the middle; what ran on after that would commit alone.
				if (!this.#database.isTransaction) throw new Error("the transaction was rolled back");
			}
			this.#database.exec("COMMIT");
		} finally {
			if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
		}
	}

	close(): void {
		this.#statements.clear();
		this.#database.close();
	}

	#prepared(text: string): StatementSync {
		const known = this.#statements.get(text);
		if (known) return known;
		if (this.#statements.size >= maxStatements) this.#statements.clear();
		const statement = this.#database.prepare(text);
		this.#statements.set(text, statement);
		return statement;
	}
}

function openFile(folder: string): DatabaseSync {
	try {
		makeFolder(folder);
		return new DatabaseSync(join(folder, fileName));
	} catch (error) {
		throw refusal(folder, error);
	}
}

/** A sentence where the folder or the disk is at fault; the error itself where we are. */
function refusal(folder: string, error: unknown): unknown {
	const code = resultCode(error);
	if (!(error instanceof Error) || code === codes.error || !("code" in error)) return error;
	const sentence =
		code === codes.busy
			? `Cannot open the store: "${folder}" is in use by another Atelier process`
			: `Cannot open the store in "${folder}": ${error.message}`;
	return new StartError(sentence, { cause: error });
}

/** What a failed write says of a taken id or key; undefined for any other failure. */
export function duplicateKey(collection: Collection, error: unknown): DuplicateKeyError | undefined {
	if (resultCode(error) !== codes.constraint || !(error instanceof Error)) return undefined;
	const [, list] = /^UNIQUE constraint failed: (.+)$/.exec(error.message) ?? [];
	if (list === undefined) return undefined;
	const [index = "id"] =
		Object.entries(collection.indexes).find(
			([, { unique, columns }]) =>
				unique && columns.map((column) => `${collection.name}.${column}`).join(", ") === list,
		) ?? [];
	return new DuplicateKeyError(collection.name, index);
}

/** SQLite's primary result code. */
function resultCode(error: unknown): number | undefined {
	const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
	return typeof code === "number" ? code & 0xff : undefined;
}
