/** The suite for concurrent writers in shared/store, on every engine. */
import { expect } from "chai";
import { appendWithoutGaps } from "#shared/store/append-without-gaps.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { job, jobs, log } from "../support/stores/sample-collections.ts";

export function describeConcurrentWriters(store: () => DocumentStore): void {
	/** Adds 1 to what was spent. */
	function spend(id: string) {
		return compareAndSet({
			what: "A job",
			read: async () => (await store().get(jobs, id)) ?? job(id),
			decide: ({ spent = 0, rev = 0 }) => ({ spent: spent + 1, rev: rev + 1 }),
			write: ({ rev = 0 }, set) => store().update(jobs, id, { equals: { rev } }, { set }),
		});
	}

	async function newest(): Promise<number> {
		const page = { limit: 1, descending: true };
		return (await store().find(log, "by_seq", { equals: [] }, page)).documents[0]?.seq ?? 0;
	}

	const numbered = {
		what: "The log",
		newest,
		rowOf: (id: string, seq: number) => ({ id, wire: "{}", seq }),
		append: (rows: readonly { id: string; wire: string; seq: number }[]) => store().append(log, rows),
	};

	it("loses none of many changes by compare-and-set at once, each decided on the newest document", async () => {
		await store().insert(jobs, job("a"));
		const outcomes = await Promise.all(Array.from({ length: 12 }, () => spend("a")));
		const spent = outcomes.map((outcome) => outcome?.decision.spent ?? 0).toSorted((one, other) => one - other);
		expect(spent).to.deep.equal(Array.from({ length: 12 }, (_one, n) => n + 1));
		expect(await store().get(jobs, "a")).to.include({ spent: 12, rev: 13 });
	});

	it("lets one of many inserts of the same id, or of the same unique values, be the first", async () => {
		const sameId = await Promise.all(
			Array.from({ length: 20 }, (_one, n) => insertOnce(() => store().insert(jobs, job("a", { state: `${n}` })))),
		);
		expect(sameId.filter(Boolean)).to.have.length(1);
		expect(await store().get(jobs, "a")).to.include({ state: `${sameId.indexOf(true)}` });
		const sameKey = await Promise.all(
			Array.from({ length: 20 }, (_one, n) => insertOnce(() => store().insert(jobs, job(`b${n}`, { key: "k" })))),
		);
		expect(sameKey.filter(Boolean)).to.have.length(1);
	});

	it("numbers what many append at once without a gap, each item once", async () => {
		const batches = Array.from({ length: 6 }, (_one, n) => Array.from({ length: 5 }, (_two, m) => `${n + m}`));
		await Promise.all(batches.map((items) => appendWithoutGaps(numbered, items)));
		const { documents } = await store().find(log, "by_seq", { equals: [] }, { limit: 100 });
		expect(documents.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 10 }, (_one, n) => n + 1));
		expect(new Set(documents.map(({ id }) => id)).size).to.equal(10);
	});
}
