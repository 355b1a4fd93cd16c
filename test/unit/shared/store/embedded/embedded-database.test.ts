/** A transaction of the embedded store's file: all of it or nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { EmbeddedDatabase } from "#shared/store/embedded/embedded-database.ts";
import { countSelection } from "#shared/store/embedded/embedded-reads.ts";
import { insertion } from "#shared/store/embedded/embedded-writes.ts";
import { indexQuery } from "#shared/store/index-query.ts";
import { job, jobs } from "../../../../support/stores/sample-collections.ts";

describe("EmbeddedDatabase", () => {
	let folder: string;
	let database: EmbeddedDatabase;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-database-"));
		database = new EmbeddedDatabase(folder, [jobs]);
	});

	afterEach(() => {
		database.close();
		rmSync(folder, { recursive: true });
	});

	const insert = (id: string) => () => void database.run(insertion(jobs, job(id), []));
	const present = () =>
		database.first(countSelection(jobs, indexQuery(jobs, "by_tenant", { equals: ["acme"] })))?.["count"];

	it("leaves nothing of a transaction with a step that throws, and goes on", () => {
		const fail = () => {
			throw new Error("planted");
		};
		expect(() => database.transaction([insert("a"), fail, insert("b")])).to.throw("planted");
		expect(present()).to.equal(0);
		database.transaction([insert("a"), insert("b")]);
		expect(present()).to.equal(2);
	});

	it("goes on after more forms of statements than it caches", () => {
		for (let form = 0; form < 1_100; form++)
			expect(database.first({ text: `SELECT ${form} AS n`, values: [] })).to.include({ n: form });
		database.transaction([insert("a")]);
		expect(present()).to.equal(1);
	});
});
