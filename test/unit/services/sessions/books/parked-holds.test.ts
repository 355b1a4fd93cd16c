import { expect } from "chai";
import fc from "fast-check";
import {
	bounded,
	countOf,
	type ParkedHold,
	parkedSumOf,
	parkingOf,
	unparked,
	withoutParked,
} from "#services/sessions/books/parked-holds.ts";
import { type Account, columnsOf, holdMs, lowered, raised, withHolds } from "#services/sessions/record/account.ts";

const at = 1_000;
const empty: Account = { booked: 0, spent: 0, committed: 0, holds: [] };

/** An account with the documents of its parked holds, and the amounts that it should have. */
class World {
	account = empty;
	rev = 1;
	readonly documents = new Map<string, ParkedHold>();
	readonly expected = new Map<string, number>();

	hold(id: string, by: number): void {
		this.#write(raised(this.#with(id), id, by, at));
		this.expected.set(id, (this.expected.get(id) ?? 0) + by);
	}

	release(id: string): void {
		this.#write(lowered(this.#with(id), id));
		this.expected.delete(id);
	}

	/** @param isDone Whether the process survives the writes of the documents. */
	park(isDone: boolean): void {
		const parking = parkingOf(this.account.holds, 1);
		if (!parking) return;
		for (const hold of parking.parked) this.documents.set(hold.id, { ...hold, era: parking.era });
		for (const id of parking.ended) this.documents.delete(id);
		if (isDone) this.#write(withHolds(this.account, parking.after));
	}

	/** Ends parked holds, as if they had expired. */
	end(ids: readonly string[]): void {
		const found = ids.flatMap((id) => this.documents.get(id) ?? []);
		const inside = new Set(this.account.holds.map(({ id }) => id));
		this.#write(withHolds(this.account, withoutParked(this.account.holds, found, at)));
		for (const { id } of found) if (!inside.has(id)) this.expected.delete(id);
	}

	get total(): number {
		return [...this.expected.values()].reduce((sum, micros) => sum + micros, 0);
	}

	amountOf(id: string): number | undefined {
		return this.#with(id).holds.find((hold) => hold.id === id)?.micros;
	}

	#with(id: string): Account {
		const found = this.documents.get(id);
		return { ...this.account, holds: unparked(this.account.holds, found ? [found] : []) };
	}

	#write(account: Account): void {
		const former = this.account.committed;
		const holds = bounded(account.holds, ++this.rev, at);
		expect(withHolds(account, holds).committed, "the sum of the entries").to.equal(account.committed);
		this.account = { ...account, holds };
		expect(former).to.be.at.least(0);
	}
}

const id = fc.integer({ min: 0, max: 60 }).map((n) => `s${n}:r`);
const step: fc.Arbitrary<(world: World) => void> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.tuple(id, fc.integer({ min: 1, max: 100 })).map(
			([one, by]) =>
				(world: World) =>
					world.hold(one, by),
		),
	},
	{ weight: 2, arbitrary: id.map((one) => (world: World) => world.release(one)) },
	{ weight: 1, arbitrary: fc.boolean().map((isDone) => (world: World) => world.park(isDone)) },
	{ weight: 1, arbitrary: fc.uniqueArray(id, { maxLength: 5 }).map((ids) => (world: World) => world.end(ids)) },
);

describe("parked holds", () => {
	it("count once after any changes and deaths, and every hold has its amount", () => {
		const property = fc.property(fc.array(step, { minLength: 60, maxLength: 300 }), (steps) => {
			const world = new World();
			for (const next of steps) {
				next(world);
				expect(world.account.committed).to.equal(world.total);
			}
			for (const [one, micros] of world.expected) expect(world.amountOf(one), one).to.equal(micros);
			expect(world.account.holds.length).to.be.below(120);
		});
		fc.assert(property, { numRuns: 100 });
	});

	it("are not in the account as long as they are few, and leave no trace behind", () => {
		const world = new World();
		for (let n = 0; n < 32; n++) world.hold(`s${n}:r`, 1);
		expect(parkedSumOf(world.account.holds)).to.equal(undefined);
		world.hold("s32:r", 1);
		world.park(true);
		expect(parkedSumOf(world.account.holds)).to.include({ count: 17, micros: 17, until: at + holdMs });
		expect(world.account.holds).to.have.length(17);
		expect(countOf(world.account.holds)).to.equal(34);
		for (let n = 0; n < 33; n++) world.release(`s${n}:r`);
		world.park(true);
		expect(columnsOf(world.account)).to.deep.equal(columnsOf(empty));
	});

	it("of an earlier sum do not count", () => {
		const world = new World();
		for (let n = 0; n < 40; n++) world.hold(`s${n}:r`, 1);
		world.park(true);
		const old = [...world.documents.values()];
		world.account = empty;
		for (let n = 100; n < 140; n++) world.hold(`s${n}:r`, 1);
		world.park(true);
		const { holds } = world.account;
		expect(unparked(holds, old)).to.equal(holds);
		expect(withHolds(world.account, withoutParked(holds, old, at)).committed).to.equal(world.account.committed);
	});
});
