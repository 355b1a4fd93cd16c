/** Finds damage in the file of the embedded store, and says what to do about it. */
import type { DatabaseSync } from "node:sqlite";
import { UnavailableError } from "#shared/base/errors.ts";
import { codes, resultCode } from "./result-code.ts";

const damageCodes: readonly unknown[] = [codes.corrupt, codes.notADatabase];

/** The size up to which a start reads the whole file, in bytes: about a second in memory, and some on a slow disk. */
const checkedBytes = 1024 * 1024 * 1024;

/**
 * Reads the whole file and compares its pages, unless it is larger than 1 GB.
 * @throws {UnavailableError} when it is damaged; the database stays open.
 */
export function refuseDamaged(database: DatabaseSync, path: string): void {
	try {
		const size = database
			.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
			.get();
		if (Number(size?.["bytes"]) > checkedBytes) return;
		const [first] = database.prepare("PRAGMA quick_check(1)").all();
		const found = first?.["quick_check"];
		if (found !== "ok") throw damaged(path, String(found));
	} catch (error) {
		throw damageOf(error, path) ?? error;
	}
}

/** Translates SQLite's report of damage; undefined for any other error. */
export function damageOf(error: unknown, path: string): UnavailableError | undefined {
	if (!(error instanceof Error) || !damageCodes.includes(resultCode(error))) return undefined;
	return damaged(path, error.message);
}

function damaged(path: string, found: string): UnavailableError {
	const [line] = found.split("\n").filter((text) => !text.startsWith("***"));
	return new UnavailableError(
		`The store "${path}" is damaged (${line ?? found}): stop the platform and restore a backup with --force, which keeps the damaged ` +
			`file aside (docs/backup.md, "A damaged store")`,
		"STORE_DAMAGED",
	);
}
