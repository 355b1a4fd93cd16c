import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { lostStore } from "#host/storage/lost-store.ts";

describe("lostStore", () => {
	let dataDir: string;
	let store: string;

	beforeEach(() => {
		dataDir = mkdtempSync(join(tmpdir(), "atelier-lost-"));
		store = join(dataDir, "store");
		mkdirSync(join(dataDir, "keys"));
		writeFileSync(join(dataDir, "keys", "installation"), "key");
	});
	afterEach(() => rmSync(dataDir, { recursive: true }));

	it("says nothing of a new data folder, and of one with a store", () => {
		expect(lostStore(dataDir, store)).to.equal(undefined);
		mkdirSync(join(dataDir, "sessions", ".warm", "0123456789abcdef"), { recursive: true });
		expect(lostStore(dataDir, store)).to.equal(undefined);
		mkdirSync(store);
		expect(lostStore(dataDir, store)).to.equal(undefined);
		mkdirSync(join(dataDir, "sessions", "one"));
		writeFileSync(join(store, "atelier.db"), "SQLite format 3");
		expect(lostStore(dataDir, store)).to.equal(undefined);
	});

	for (const folder of ["sessions", "credentials"])
		it(`refuses a data folder with ${folder} whose store is missing or empty`, () => {
			mkdirSync(join(dataDir, folder, "one"), { recursive: true });
			expect(lostStore(dataDir, store)).to.match(
				/atelier\.db" is missing, and ".*" has files of before\. .*docs\/backup\.md/,
			);
			mkdirSync(store);
			writeFileSync(join(store, "atelier.db"), "");
			expect(lostStore(dataDir, store)).to.include("is empty");
		});
});
