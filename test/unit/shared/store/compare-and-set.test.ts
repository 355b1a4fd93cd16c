import { expect } from "chai";
import fc from "fast-check";
import { UnavailableError } from "#shared/base/errors.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import { failureOf } from "../../../support/failure-of.ts";

interface Cell {
	readonly rev: number;
	readonly sum: number;
}

/** A value with a revision; others may write it at any time. */
class Shared {
	cell: Cell = { rev: 1, sum: 0 };
	writes = 0;
	/** It is called between a read and the write that follows it. */
	meanwhile: (attempt: number) => void | Promise<void> = () => {};
	#attempts = 0;

	add(amount: number, decide?: (cell: Cell) => { sum: number } | undefined) {
		return compareAndSet({
			what: "The sum",
			read: async () => this.cell,
			decide: decide ?? (({ sum }) => ({ sum: sum + amount })),
			write: async ({ rev }, { sum }) => {
				await this.meanwhile(++this.#attempts);
				if (this.cell.rev !== rev) return undefined;
				this.writes++;
				this.cell = { rev: rev + 1, sum };
				return this.cell;
			},
		});
	}

	/** Makes another writer come in between. */
	disturb(): void {
		this.cell = { rev: this.cell.rev + 1, sum: this.cell.sum + 100 };
	}
}

describe("compareAndSet()", () => {
	it("writes the decision on the newest value, and returns both", async () => {
		const shared = new Shared();
		expect(await shared.add(7)).to.deep.equal({ decision: { sum: 7 }, written: { rev: 2, sum: 7 } });
	});

	it("decides again after a lost race, and returns the decision that was written", async () => {
		const shared = new Shared();
		shared.meanwhile = (attempt) => (attempt <= 2 ? shared.disturb() : undefined);
		expect(await shared.add(7)).to.deep.equal({ decision: { sum: 207 }, written: { rev: 4, sum: 207 } });
		expect(shared.writes).to.equal(1);
	});

	it("writes nothing when no change is needed, also after a lost race", async () => {
		const shared = new Shared();
		expect(await shared.add(1, () => undefined)).to.equal(undefined);
		shared.meanwhile = () => shared.disturb();
		const onlyFirst = ({ sum }: Cell) => (sum === 0 ? { sum: 1 } : undefined);
		expect(await shared.add(1, onlyFirst)).to.equal(undefined);
		expect(shared.writes).to.equal(0);
	});

	it("gives up after fifty lost races, with a sentence for the caller", async () => {
		const shared = new Shared();
		shared.meanwhile = () => shared.disturb();
		const failure = await failureOf<Error>(shared.add(1));
		expect(failure).to.be.instanceOf(UnavailableError);
		expect(failure.message).to.equal("The sum changes too fast, try again");
		expect(shared.cell.sum, "one disturbance for each attempt").to.equal(50 * 100);
	});

	it("fails at once, without a write, when the decision fails", async () => {
		const shared = new Shared();
		let asked = 0;
		const refusing = () => {
			asked++;
			throw new RangeError("too much");
		};
		expect(await failureOf(shared.add(1, refusing))).to.be.instanceOf(RangeError);
		expect([asked, shared.writes]).to.deep.equal([1, 0]);
	});

	it("loses no concurrent change, in any order of steps", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.scheduler(),
				fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 }),
				async (s, amounts) => {
					const shared = new Shared();
					shared.meanwhile = () => s.schedule(Promise.resolve());
					const all = Promise.all(amounts.map((amount) => shared.add(amount)));
					await s.waitFor(all);
					expect(shared.cell.sum).to.equal(amounts.reduce((sum, amount) => sum + amount, 0));
					expect(shared.writes).to.equal(amounts.length);
				},
			),
		);
	});
});
