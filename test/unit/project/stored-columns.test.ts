/**
 * A rename forgets no column of the data of a published release: readers would take its documents for incomplete ones. The former
 * column stays declared beside the new one until a migration has filled the new one in.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { loadParts, serviceFolders } from "#host/service-folders.ts";
import { processCollection } from "#host/presence/process-collection.ts";
import { platformCollections } from "#host/storage/storage.ts";
import { readReleasedData, remedy, unpackReleasedData } from "../../support/upgrade/released-data.ts";

/** The table whose pages are given back when the disk is full. */
const reserve = "_reserve.filler";
const ownColumns = ["id", "wire", "_outbox", "_outbox_since", "_row"];

describe("the columns of stored data", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-columns-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("of release 0.2.0 are all declared by this one, under the same names", async () => {
		unpackReleasedData(readReleasedData(), folder);
		const parts = await loadParts(serviceFolders);
		const collections = [
			...[...parts.values()].flatMap(({ collections: own = [] }) => [...own]),
			...platformCollections,
			processCollection,
		];
		const declared = new Set([
			reserve,
			...collections.flatMap(({ name, columns }) =>
				[...ownColumns, ...Object.keys(columns)].map((one) => `${name}.${one}`),
			),
		]);
		using database = new DatabaseSync(join(folder, "store", "atelier.db"), { readOnly: true });
		const rows = database
			.prepare(
				`SELECT t.name || '.' || c.name AS name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
				 WHERE t.type = 'table' AND t.name NOT LIKE '%.search%'`,
			)
			.all();
		const stored = rows.map(({ name }) => String(name));
		expect(stored.length).to.be.greaterThan(100);
		expect(
			stored.filter((name) => !declared.has(name)),
			remedy,
		).to.deep.equal([]);
	});
});
