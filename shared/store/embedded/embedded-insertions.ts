/** Ordered insertions of the embedded store. */
import type { Collection } from "../collection.ts";
import type { Appended } from "../port/documents.ts";
import { duplicateKey, type EmbeddedDatabase } from "./embedded-database.ts";
import { selection } from "./embedded-reads.ts";
import type { Sql } from "./embedded-sql.ts";

/** One insertion; the id tells which key a refused one collides with. */
interface Insertion {
	readonly id: string;
	readonly statement: Sql;
}

export function insertAll(
	database: EmbeddedDatabase,
	collection: Collection,
	insertions: readonly Insertion[],
): Appended {
	for (const [inserted, { id, statement }] of insertions.entries()) {
		try {
			database.run(statement);
		} catch (error) {
			const duplicate = duplicateKey(collection, error);
			if (!duplicate) throw error;
			// SQLite names only one of several collisions, and not always the one with the id.
			return { inserted, clash: database.first(selection(collection, id)) ? "id" : duplicate.key };
		}
	}
	return { inserted: insertions.length };
}
