import { expect } from "chai";
import fc from "fast-check";
import { UnavailableError } from "#shared/base/errors.ts";
import { appendWithoutGaps, type NumberedLog } from "#shared/store/append-without-gaps.ts";
import { type Appended, maxAppended } from "#shared/store/port/documents.ts";
import { failureOf } from "../../../support/failure-of.ts";

interface Row {
	readonly id: string;
	readonly seq: number;
}

/** Rows with the constraints of a store: ids and numbers are unique. */
class Rows {
	readonly all: Row[] = [];
	appends = 0;
	looks = 0;
	/** It is called before each append and each read. */
	meanwhile: () => void | Promise<void> = () => {};

	log(onAppended?: NumberedLog<string, Row>["onAppended"]): NumberedLog<string, Row> {
		return {
			what: "The log",
			newest: async () => {
				this.looks++;
				await this.meanwhile();
				return this.all.at(-1)?.seq ?? 0;
			},
			rowOf: (id, seq) => ({ id, seq }),
			append: async (rows) => {
				await this.meanwhile();
				return this.append(rows);
			},
			...(onAppended && { onAppended }),
		};
	}

	append(rows: readonly Row[]): Appended {
		this.appends++;
		for (const [inserted, row] of rows.entries()) {
			if (this.all.some(({ id }) => id === row.id)) return { inserted, clash: "id" };
			if (this.all.some(({ seq }) => seq === row.seq)) return { inserted, clash: "by_seq" };
			this.all.push(row);
		}
		return { inserted: rows.length };
	}
}

function expectNoGaps({ all }: Rows): void {
	expect(all.map(({ seq }) => seq)).to.deep.equal(all.map((_row, index) => index + 1));
}

describe("appendWithoutGaps()", () => {
	it("numbers items after the newest one, with one read and one append", async () => {
		const rows = new Rows();
		expect(await appendWithoutGaps(rows.log(), ["a", "b"])).to.deep.equal({ seq: 2, repeated: 0 });
		expect(await appendWithoutGaps(rows.log(), ["c"])).to.deep.equal({ seq: 3, repeated: 0 });
		expect(rows.all.map(({ id }) => id)).to.deep.equal(["a", "b", "c"]);
		expect([rows.looks, rows.appends]).to.deep.equal([2, 2]);
	});

	it("gives an existing item no second number, and reports it", async () => {
		const rows = new Rows();
		await appendWithoutGaps(rows.log(), ["a", "c"]);
		const reported: [string, boolean][] = [];
		const outcome = await appendWithoutGaps(
			rows.log((id, isNew) => reported.push([id, isNew])),
			["a", "b", "c", "d"],
		);
		expect(outcome).to.deep.equal({ seq: 4, repeated: 2 });
		expect(reported).to.deep.equal([
			["a", false],
			["b", true],
			["c", false],
			["d", true],
		]);
		expectNoGaps(rows);
	});

	it("continues after another writer that took its number", async () => {
		const rows = new Rows();
		const log = rows.log();
		const append = async (batch: readonly Row[]): Promise<Appended> => {
			if (rows.all.length === 0) rows.append([{ id: "other", seq: 1 }]);
			return log.append(batch);
		};
		expect(await appendWithoutGaps({ ...log, append }, ["a", "b"])).to.deep.equal({ seq: 3, repeated: 0 });
		expect(rows.all.map(({ id }) => id)).to.deep.equal(["other", "a", "b"]);
	});

	it("appends more items than a store accepts at once", async () => {
		const rows = new Rows();
		const items = Array.from({ length: maxAppended + 1 }, (_one, n) => `${n}`);
		expect(await appendWithoutGaps(rows.log(), items)).to.deep.equal({ seq: maxAppended + 1, repeated: 0 });
		expect([rows.looks, rows.appends]).to.deep.equal([1, 2]);
	});

	it("gives up when another writer is always faster, with a sentence for the caller", async () => {
		const rows = new Rows();
		const always = { ...rows.log(), append: async (): Promise<Appended> => ({ inserted: 0, clash: "by_seq" }) };
		const failure = await failureOf<Error>(appendWithoutGaps(always, ["a", "b"]));
		expect(failure).to.be.instanceOf(UnavailableError);
		expect(failure.message).to.equal("The log changes too fast, try again");
		expect(rows.looks, "the first look and one for each lost race").to.equal(1 + 50 + 2 + 1);
	});

	it("fails at once when the store does", async () => {
		const failing = { ...new Rows().log(), append: () => Promise.reject(new Error("The disk is full")) };
		expect(await failureOf<Error>(appendWithoutGaps(failing, ["a"]))).to.have.property("message", "The disk is full");
	});

	it("leaves no gap and appends each item once, with any number and order of writers", async () => {
		const batches = fc.array(fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 5 }), { maxLength: 5 });
		await fc.assert(
			fc.asyncProperty(fc.scheduler(), batches, async (s, writers) => {
				const rows = new Rows();
				rows.meanwhile = () => s.schedule(Promise.resolve());
				const isNewOf = new Map<string, number>();
				const log = rows.log((id, isNew) => isNewOf.set(id, (isNewOf.get(id) ?? 0) + Number(isNew)));
				await s.waitFor(Promise.all(writers.map((items) => appendWithoutGaps(log, items))));
				expectNoGaps(rows);
				const items = new Set(writers.flat());
				expect(new Set(rows.all.map(({ id }) => id))).to.deep.equal(items);
				expect(rows.all).to.have.length(items.size);
				expect([...isNewOf.values()].every((count) => count === 1)).to.equal(true);
			}),
		);
	});
});
