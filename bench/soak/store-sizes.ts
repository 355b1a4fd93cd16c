/** Measures a store that no process has open. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The bytes of each table with its indexes, without pages that are free. */
export type StoreSizes = ReadonlyMap<string, number>;

export function storeSizes(dataDir: string): StoreSizes {
	using database = new DatabaseSync(join(dataDir, "store", "atelier.db"), { readOnly: true });
	const rows = database
		.prepare(
			`SELECT tbl_name AS name, SUM(pgsize) AS bytes FROM dbstat JOIN sqlite_schema USING (name) GROUP BY tbl_name`,
		)
		.all();
	return new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)]));
}

/** Returns the tables that have grown, the most first, with the bytes for each of `count` sessions. */
export function growth(before: StoreSizes, after: StoreSizes, count: number): [table: string, bytes: number][] {
	return [...after]
		.map(([table, bytes]): [string, number] => [table, (bytes - (before.get(table) ?? 0)) / count])
		.filter(([, bytes]) => bytes > 0)
		.sort(([, one], [, other]) => other - one);
}
