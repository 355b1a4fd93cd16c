/** The suite for searches in texts that every document store must pass. */
import { expect } from "chai";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { maxSearchText, type SearchPage } from "#shared/store/port/search.ts";
import { failureOf } from "../support/failure-of.ts";
import { jobs, type Note, note, type NoteColumns, notes } from "../support/stores/sample-collections.ts";

export function describeSearch(store: () => DocumentStore): void {
	const acme = { equals: ["acme"] };

	async function insert(...documents: readonly Note[]): Promise<void> {
		await Promise.all(documents.map((document) => store().insert(notes, document)));
	}

	/** Reads the ids of all pages. */
	async function idsOf(text: string, page: Partial<SearchPage<NoteColumns>> = {}): Promise<string[]> {
		const seen: string[] = [];
		for (let after: string | undefined, pages = 0; pages < 100; pages++) {
			const asked = { text, limit: 100, ...page, ...(after !== undefined && { after }) };
			const { documents, next } = await store().search(notes, acme, asked);
			expect(documents.length).to.be.at.most(asked.limit);
			seen.push(...documents.map(({ id }) => id));
			if (next === undefined) return seen;
			after = next;
		}
		throw new Error("The pages do not end");
	}

	it("finds a text in the middle of a word, and gives the whole document", async () => {
		const whole = note("a", { wire: '{ "as":  "sent" }', title: "refactoring", body: "größer 😀 als" });
		await insert(whole, note("b", { title: "something else" }));
		for (const text of ["factor", "refactoring", "ß", "ö", "größer 😀", "😀 a", "r 😀 als"])
			expect((await store().search(notes, acme, { text, limit: 5 })).documents, text).to.deep.equal([whole]);
		for (const text of ["Factor", "factors", "zz", "zzz", "refactoringg"]) expect(await idsOf(text)).to.deep.equal([]);
	});

	it("lists hits in the first column first, and the largest value of the index first in each", async () => {
		await insert(
			note("old-title", { title: "the word", body: "the word", made: "m1" }),
			note("new-title", { title: "a word", made: "m5" }),
			note("tie-a", { body: "word", made: "m9" }),
			note("tie-b", { body: "word", made: "m9" }),
			note("none", { title: "wor d", body: "wo rd", made: "m9" }),
			note("elsewhere", { tenant: "other", title: "word", made: "m9" }),
		);
		const order = ["new-title", "old-title", "tie-b", "tie-a"];
		for (const text of ["word", "wo", "w"])
			for (const limit of [1, 2, 3, 4, 5]) {
				const ids = (await idsOf(text, { limit })).filter((id) => id !== "none");
				expect(ids, `${text} ${limit}`).to.deep.equal(order);
			}
	});

	it("gives no character a special meaning", async () => {
		const texts = [
			"100%",
			"a_b",
			"\\d+",
			'"a" OR "b"',
			"x*",
			"(a|b)",
			"^$",
			"{title}: a",
			"a.b",
			"[ab]",
			"a-b",
			"'; --",
			"a\nb",
		];
		await insert(...texts.map((body, index) => note(`n${String(index).padStart(2, "0")}`, { body })));
		for (const [index, text] of texts.entries())
			expect(await idsOf(text), text).to.deep.equal([`n${String(index).padStart(2, "0")}`]);
		expect(await idsOf("a%b")).to.deep.equal([]);
		expect(await idsOf("_")).to.deep.equal(["n01"]);
		expect(await idsOf(".")).to.deep.equal(["n08"]);
	});

	it("finds a document by its present texts only", async () => {
		await insert(note("a", { title: "first title", body: "first body" }), note("b", { body: "other" }));
		await store().update(notes, "a", {}, { set: { body: "second thing" }, inc: { rev: 1 } });
		expect(await idsOf("first body")).to.deep.equal([]);
		expect(await idsOf("first")).to.deep.equal(["a"]);
		expect(await idsOf("second")).to.deep.equal(["a"]);
		await store().update(notes, "a", {}, { unset: ["title"] });
		expect(await idsOf("first")).to.deep.equal([]);
		await store().update(notes, "a", { equals: { rev: 9 } }, { set: { title: "refused" } });
		expect(await idsOf("refused")).to.deep.equal([]);
		await store().remove(notes, "a", {});
		await store().removeMany(notes, ["b"]);
		for (const text of ["second", "other", "o"]) expect(await idsOf(text)).to.deep.equal([]);
	});

	it("finds what few and what most documents contain, page by page", async function () {
		this.timeout(60_000);
		const ids = Array.from({ length: 250 }, (_, index) => `n${String(index).padStart(3, "0")}`);
		for (let start = 0; start < ids.length; start += 50) {
			const part = ids.slice(start, start + 50).map((id) => note(id, { body: `common ${id}`, made: `m${id}` }));
			await store().append(notes, part);
		}
		for (const text of ["common", "co"]) expect(await idsOf(text, { limit: 60 })).to.deep.equal(ids.toReversed());
		expect(await idsOf("n123")).to.deep.equal(["n123"]);
		expect(await idsOf("99", { limit: 1 })).to.deep.equal(["n199", "n099"]);
	});

	it("ends a page before its bytes and goes on from there", async () => {
		await insert(
			...["a", "b", "c", "d"].map((id) => note(id, { title: "word", wire: JSON.stringify("x".repeat(96)) })),
		);
		const { documents, next } = await store().search(notes, acme, { text: "word", limit: 9, maxBytes: 250 });
		expect(documents.map(({ id }) => id)).to.deep.equal(["d", "c"]);
		expect(next).to.be.a("string");
		expect(await idsOf("word", { maxBytes: 250 })).to.deep.equal(["d", "c", "b", "a"]);
		expect(await idsOf("word", { maxBytes: 1 })).to.deep.equal(["d", "c", "b", "a"]);
	});

	it("keeps to the range and reads the wanted columns only", async () => {
		await insert(...["m1", "m2", "m3"].map((made) => note(made, { title: "word", made })));
		const range = { equals: ["acme"], from: "m2" };
		const { documents } = await store().search(notes, range, { text: "word", limit: 5, columns: ["made"] });
		expect(documents).to.deep.equal(["m3", "m2"].map((id) => ({ id, wire: JSON.stringify({ id }), made: id })));
	});

	it("refuses what is no cursor of the search, and what cannot be searched", async () => {
		await insert(note("a", { title: "word" }), note("b", { title: "word" }));
		const { next = "" } = await store().search(notes, acme, { text: "word", limit: 1 });
		const position = next.slice(2);
		for (const after of ["", "x", position, `2.${position}`, `-1.${position}`, `0.x`, `0.${position}.`, `.${position}`])
			expect(await failureOf(store().search(notes, acme, { text: "word", limit: 1, after })), after).to.be.instanceOf(
				RangeError,
			);
		for (const text of ["", "a\0b", "x".repeat(maxSearchText + 1)])
			expect(await failureOf(store().search(notes, acme, { text, limit: 1 }))).to.be.instanceOf(TypeError);
		expect(await failureOf(store().search(jobs, acme, { text: "word", limit: 1 }))).to.be.instanceOf(TypeError);
		expect(await failureOf(store().insert(notes, note("c", { body: "a\0b" })))).to.be.instanceOf(TypeError);
	});
}
