/** A search of the embedded store is answered from an index, and the time of one page is bounded. */
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { applySchema } from "#shared/store/embedded/embedded-schema.ts";
import type { StoreUnderTest } from "../../../../contract/document-store.contract.ts";
import { openEmbedded } from "../../../../support/stores/open-stores.ts";
import { note, notes, sampleCollections } from "../../../../support/stores/sample-collections.ts";

const acme = { equals: ["acme"] };
/** More than are sorted (2,000). */
const many = 2_500;
/** Its trigrams are in every text that has "aaab", and it is in none that has fewer letters "a" in a row. */
const absent = `${"a".repeat(149)}b`;

describe("The search of the embedded store", function () {
	this.timeout(60_000);
	let subject: StoreUnderTest;
	let store: DocumentStore;

	before(async () => {
		subject = await openEmbedded();
		({ store } = subject);
		const numbers = Array.from({ length: many }, (_, index) => String(index).padStart(5, "0"));
		for (let start = 0; start < many; start += 500) {
			const part = numbers.slice(start, start + 500);
			await store.append(
				notes,
				part.map((n) => note(n, { title: `note ${n}`, body: "common words", made: n })),
			);
		}
	});

	after(() => subject.discard());

	async function walk(text: string, limit: number): Promise<{ ids: string[]; pages: number }> {
		const ids: string[] = [];
		let after: string | undefined;
		let pages = 0;
		do {
			const page = { text, limit, ...(after !== undefined && { after }) };
			const { documents, next } = await store.search(notes, acme, page);
			ids.push(...documents.map(({ id }) => id));
			after = next;
			pages++;
		} while (after !== undefined && pages < many);
		return { ids, pages };
	}

	it("finds what more documents contain than it sorts, in the same order as what few contain", async () => {
		const { ids, pages } = await walk("common", 400);
		expect(ids).to.have.length(many);
		expect(ids).to.deep.equal(ids.toSorted().toReversed());
		expect(pages).to.equal(7);
		expect((await walk("note 01", 300)).ids).to.deep.equal(ids.filter((id) => id.startsWith("01")));
	});

	it("ends a page that takes too long before it is full, and goes on from there", async () => {
		const { ids } = await walk("99", 50);
		let now = 0;
		const turnBack = turnClock({ now: () => 0, monotonic: () => (now += 1_000) });
		try {
			const { documents, next } = await store.search(notes, acme, { text: "99", limit: 50 });
			expect(
				documents.map(({ id }) => id),
				"one of 20 documents",
			).to.deep.equal(["02499"]);
			expect(next).to.be.a("string");
			const slow = await walk("99", 50);
			expect(slow.ids).to.deep.equal(ids);
			expect(slow.pages).to.be.at.least(many / 20);
		} finally {
			turnBack();
		}
	});

	it("lets the event loop run while it compares long texts that repeat themselves", async () => {
		const repeated = `${"a".repeat(99)}b`;
		const ids = Array.from({ length: 30 }, (_, index) => `long${index}`);
		const documents = ids.map((id) => note(id, { tenant: "hostile", body: repeated.repeat(1_000) }));
		await store.append(notes, documents);
		const began = performance.now();
		let turns = 0;
		let counting = setImmediate(function count() {
			turns++;
			counting = setImmediate(count);
		});
		try {
			for (const tenant of ["hostile", "acme"]) {
				const { documents: found } = await store.search(notes, { equals: [tenant] }, { text: absent, limit: 50 });
				expect(found).to.deep.equal([]);
			}
			expect(turns).to.be.at.least(1);
			expect(performance.now() - began, "ms").to.be.below(3_000);
			const inAll = { text: repeated.slice(1), limit: 50 };
			expect((await store.search(notes, { equals: ["hostile"] }, inAll)).documents).to.have.length(ids.length);
		} finally {
			clearImmediate(counting);
			await store.removeMany(notes, ids);
		}
	});

	it("has its index in the file once, also after the searched columns have changed", async () => {
		const database = new DatabaseSync(":memory:");
		const titles = { ...notes, searched: { index: "by_made", columns: ["title"] } };
		const { searched: _none, ...unsearched } = notes;
		applySchema(database, sampleCollections);
		database.exec("INSERT INTO notes (id, wire, title, body) VALUES ('a', '{}', 'some title', 'some body')");
		const found = (text: string) =>
			database.prepare('SELECT rowid FROM "notes.search" WHERE "notes.search" MATCH ?').all(`"${text.slice(0, 3)}"`)
				.length;
		for (const [collection, bodies] of [
			[notes, 1],
			[titles, 0],
			[notes, 1],
		] as const) {
			applySchema(database, [collection]);
			expect([found("title"), found("body")]).to.deep.equal([1, bodies]);
		}
		database.exec("VACUUM");
		database.exec("UPDATE notes SET title = 'another' WHERE id = 'a'");
		expect([found("title"), found("another"), found("body")]).to.deep.equal([0, 1, 1]);
		applySchema(database, [unsearched]);
		expect(database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'notes.search%'").all()).to.deep.equal([]);
		database.exec("DELETE FROM notes");
		database.close();
	});
});
