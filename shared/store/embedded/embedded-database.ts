/**
 * The SQLite file of the embedded store. One process has it open. A commit is on disk after the `sync` that follows it, which
 * other work of the process does not wait for (docs/decisions/0171).
 */
import { join } from "node:path";
import { backup, DatabaseSync, type StatementSync } from "node:sqlite";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { refuseUnusableStore } from "#shared/base/files/unusable-files.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { StartError } from "#shared/base/start-error.ts";
import type { Collection } from "../collection.ts";
import { DuplicateKeyError } from "../port/documents.ts";
import { damageOf, refuseDamaged } from "./embedded-damage.ts";
import { EmbeddedLog } from "./embedded-log.ts";
import { EmbeddedReserve } from "./embedded-reserve.ts";
import { applySchema } from "./embedded-schema.ts";
import type { Sql, SqlRow } from "./embedded-sql.ts";
import { codes, resultCode } from "./result-code.ts";

/** The name of the file in the folder of the store. */
export const fileName = "atelier.db";

export function storeFile(folder: string): string {
	return join(folder, fileName);
}

/** The size to which SQLite cuts its log after a checkpoint, in bytes. */
const maxIdleLogBytes = 16 * 1024 * 1024;
/**
 * The pages of 4 KB in the log at which SQLite brings them into the database (a checkpoint). A page that was written often
 * is then copied once, so a long log costs less; this one fits into `maxIdleLogBytes` with the commit that fills it.
 */
const pagesPerCheckpoint = 3_500;
/** The pages of 4 KB that a copy reads in one step; writes wait for a step, which takes a few milliseconds. */
const pagesPerStep = 250;
/** The most prepared statements in memory; the code uses far fewer forms of them. */
const maxStatements = 1_000;

/** Databases that stay open until the process ends, because SQLite brings the log into the file when it closes one. */
const unclosable = new Set<DatabaseSync>();

/** An orderly end of Node would close the database, too; process.exit() does not. */
function neverClose(database: DatabaseSync): void {
	if (unclosable.size === 0) process.once("exit", () => process.exit());
	unclosable.add(database);
}

/** The open database with its prepared statements. The store that made it closes it. */
export class EmbeddedDatabase {
	readonly #database: DatabaseSync;
	readonly #path: string;
	readonly #reserve: EmbeddedReserve;
	readonly #log: EmbeddedLog;
	/** The damage that was met; nothing is written from then on. */
	#damage: UnavailableError | undefined;
	readonly #statements = new Map<string, StatementSync>();

	/**
	 * Opens the file and creates the tables. @throws {StartError} when this or another process has the folder open, or
	 * it cannot be used. @param reserveBytes The room that is kept inside the file (embedded-reserve.ts); default none.
	 */
	constructor(folder: string, collections: readonly Collection[], reserveBytes = 0) {
		this.#path = join(folder, fileName);
		this.#database = openFile(folder);
		try {
			// The order matters: when the exclusive lock is requested first, SQLite holds it and the log needs no
			// shared memory.
			this.#database.exec("PRAGMA locking_mode = EXCLUSIVE");
			this.#database.exec("PRAGMA journal_mode = WAL");
			// SQLite syncs when it brings the log into the file. The sync of a commit is the one of `sync`.
			this.#database.exec("PRAGMA synchronous = NORMAL");
			this.#database.exec(`PRAGMA journal_size_limit = ${maxIdleLogBytes}`);
			this.#database.exec(`PRAGMA wal_autocheckpoint = ${pagesPerCheckpoint}`);
			refuseDamaged(this.#database, this.#path);
			applySchema(this.#database, collections);
			this.#reserve = new EmbeddedReserve(this.#database, folder, reserveBytes);
			this.#log = new EmbeddedLog(this.#path);
		} catch (error) {
			this.#database.close();
			throw refusal(folder, error);
		}
	}

	first({ text, values }: Sql): SqlRow | undefined {
		return this.#noting(() => this.#prepared(text).get(...values));
	}

	all({ text, values }: Sql): SqlRow[] {
		return this.#noting(() => this.#prepared(text).all(...values));
	}

	/** Returns rows that are read while the caller iterates; no other code may use the statement meanwhile. */
	*each({ text, values }: Sql): Iterable<SqlRow> {
		const rows = this.#noting(() => this.#prepared(text).iterate(...values));
		try {
			for (let next = this.#noting(() => rows.next()); next.done !== true; next = this.#noting(() => rows.next()))
				yield next.value;
		} finally {
			rows.return?.();
		}
	}

	/** Runs the statement and returns the count of changed rows. */
	run({ text, values }: Sql): number {
		return this.#noting(() => Number(this.#prepared(text).run(...values).changes));
	}

	/**
	 * Runs the steps as one transaction, which is durable after the next `sync`. When the disk has no room for the log to grow, the
	 * log is brought into the file, which may have room, and the steps run again.
	 * @throws {Error} when a step throws or the disk refuses; the transaction then had no effect.
	 */
	transaction(steps: readonly (() => void)[]): void {
		this.refuseDamage();
		try {
			this.#transact(steps);
		} catch (error) {
			if (error instanceof UnavailableError || !this.#emptyLog()) throw error;
			this.#transact(steps);
		}
		this.#reserve.keep();
	}

	/** Makes all earlier transactions durable. @throws {UnavailableError} when the disk fails; nothing is written from then on. */
	async sync(): Promise<void> {
		try {
			await this.#log.sync();
		} catch (error) {
			throw this.#unsynced(error);
		}
	}

	/**
	 * A later sync may succeed without the pages that this one has lost, so only a new start can tell what is on the disk. It reads the log up
	 * to the first damaged commit. Until then nothing brings the log into the file, because SQLite does that without a check.
	 */
	#unsynced(error: unknown): UnavailableError {
		const reason = error instanceof Error ? error.message : String(error);
		this.#damage ??= new UnavailableError(
			`The disk did not keep what was written to the store "${this.#path}" (${reason}): check the disk, then start the platform again`,
			"STORE_UNWRITABLE",
		);
		this.#reserve.close();
		neverClose(this.#database);
		return this.#damage;
	}

	/** Returns whether the log can be written from its beginning now. */
	#emptyLog(): boolean {
		try {
			return this.#database.prepare("PRAGMA wal_checkpoint(RESTART)").get()?.["busy"] === 0;
		} catch {
			return false;
		}
	}

	#transact(steps: readonly (() => void)[]): void {
		this.#database.exec("BEGIN IMMEDIATE");
		try {
			for (const step of steps) {
				step();
				// A step may keep its error to itself, and nothing is written into a damaged file.
				this.refuseDamage();
				// SQLite rolls back by itself when the disk fails during a transaction; further steps would then be
				// committed one by one.
				if (!this.#database.isTransaction) throw new Error("the transaction was rolled back");
			}
			this.#database.exec("COMMIT");
		} finally {
			if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
		}
	}

	/** Whether the disk has so little room that only writes are taken that make room (shared/base/files/making-room.ts). */
	get isShort(): boolean {
		return this.#reserve.isShort;
	}

	/** @throws {UnavailableError} when damage of the file was met since it was opened. */
	refuseDamage(): void {
		if (this.#damage) throw this.#damage;
	}

	/** Remembers damage that SQLite reports, and translates it. */
	#noting<T>(run: () => T): T {
		try {
			return run();
		} catch (error) {
			this.#damage ??= damageOf(error, this.#path);
			throw damageOf(error, this.#path) ?? error;
		}
	}

	/**
	 * Copies the database into a new file while it is used. The copy has every commit that returned before the call, and
	 * all of the later ones up to some moment before this resolves.
	 */
	async copyTo(path: string): Promise<void> {
		this.refuseDamage();
		await backup(this.#database, path, { rate: pagesPerStep });
	}

	close(): void {
		this.#reserve.close();
		this.#log.close();
		this.#statements.clear();
		if (!unclosable.has(this.#database)) this.#database.close();
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
		refuseUnusableStore(folder);
		return new DatabaseSync(join(folder, fileName));
	} catch (error) {
		throw refusal(folder, error);
	}
}

/** Returns an error with a sentence when the folder or the disk is the cause, and otherwise the error itself. */
function refusal(folder: string, error: unknown): unknown {
	const damage = error instanceof UnavailableError ? error : damageOf(error, join(folder, fileName));
	if (damage) return new StartError(`Cannot open the store in "${folder}". ${damage.message}`, { cause: error });
	const code = resultCode(error);
	if (!(error instanceof Error) || code === codes.error || !("code" in error)) return error;
	const sentence =
		code === codes.busy
			? `Cannot open the store: "${folder}" is in use by another Atelier process; end that one, or set DATA_DIR and PORT for a second platform`
			: `Cannot open the store in "${folder}": ${error.message}`;
	return new StartError(sentence, { cause: error });
}

/** Translates a violated id or unique index; undefined for any other failure. */
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
