/** A transaction of the embedded store's file: all of it or nothing. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { EmbeddedDatabase, storeFile } from "#shared/store/embedded/embedded-database.ts";
import { countSelection } from "#shared/store/embedded/embedded-reads.ts";
import { insertion } from "#shared/store/embedded/embedded-writes.ts";
import { indexQuery } from "#shared/store/index-query.ts";
import { folderForAll, giveAway, printedAsUser } from "../../../../support/machine/ordinary-user.ts";
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

	it("writes nothing more when the disk did not keep a commit, and loses no other one when it ends", async () => {
		const other = mkdtempSync(join(tmpdir(), "atelier-database-"));
		try {
			const program = join(import.meta.dirname, "../../../../support/stores/failed-sync.ts");
			const { stdout, stderr, status } = spawnSync(process.execPath, [program, other], { encoding: "utf8" });
			expect([status, stderr]).to.deep.equal([0, ""]);
			expect(JSON.parse(stdout)).to.deep.equal({ type: "STORE_UNWRITABLE", refused: 2 });
			const again = new EmbeddedDatabase(other, [jobs]);
			const ids = again.all({ text: "SELECT id FROM jobs", values: [] }).map(({ id }) => id);
			again.close();
			expect(ids).to.deep.equal(["kept"]);
		} finally {
			rmSync(other, { recursive: true });
		}
	});

	it("refuses a file that it may not write with the file, its owner and the remedy", function () {
		const other = folderForAll("read-only");
		try {
			new EmbeddedDatabase(other, [jobs]).close();
			giveAway(other);
			chmodSync(storeFile(other), 0o400);
			const text = `import { EmbeddedDatabase, storeFile } from "#shared/store/embedded/embedded-database.ts"; new EmbeddedDatabase(process.argv[1], []);`;
			const printed = printedAsUser(text, other) ?? this.skip();
			expect(printed)
				.to.include(`Cannot use the store in "${other}"`)
				.and.to.include(`"${storeFile(other)}", which belongs to it. Give the user its rights back: chmod -R u+rwX`);
		} finally {
			rmSync(other, { recursive: true });
		}
	});
});
