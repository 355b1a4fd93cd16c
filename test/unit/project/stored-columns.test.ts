/**
 * A rename forgets no column of stored data: readers would take the documents of older releases for incomplete ones. The former
 * column stays declared beside the new one (`told` of the timelines), or a migration fills the new one in.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { loadParts, serviceFolders } from "#host/service-folders.ts";
import { platformCollections } from "#host/storage/storage.ts";
import { readOldData, unpackOldData } from "../../support/upgrade/old-data.ts";

const ownColumns = ["id", "wire", "_outbox", "_outbox_since", "_row"];

describe("the columns of stored data", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-columns-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("of the release before are all declared by this one, under the same names", async () => {
		unpackOldData(readOldData(), folder);
		const parts = await loadParts(serviceFolders);
		const collections = [
			...[...parts.values()].flatMap(({ collections: own = [] }) => [...own]),
			...platformCollections,
		];
		const declared = new Set(
			collections.flatMap(({ name, columns }) =>
				[...ownColumns, ...Object.keys(columns)].map((one) => `${name}.${one}`),
			),
		);
		using database = new DatabaseSync(join(folder, "store", "atelier.db"), { readOnly: true });
		const rows = database
			.prepare(
				`SELECT t.name || '.' || c.name AS name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
				 WHERE t.type = 'table' AND t.name NOT LIKE '%.search%'`,
			)
			.all();
		const stored = rows.map(({ name }) => String(name));
		expect(stored.length).to.be.greaterThan(100);
		expect(stored.filter((name) => !declared.has(name))).to.deep.equal([]);
	});
});
