import { expect } from "chai";
import { type Owner, DepartedOwners } from "#shared/bus/departed-owners.ts";
import { turnClock } from "#shared/base/clock.ts";
import { failureOf } from "../../../support/failure-of.ts";

describe("DepartedOwners", () => {
	let ahead: number;
	let turnBack: () => void;
	let gone: Set<string>;
	let asked: string[][];
	let isAway: boolean;
	let owners: DepartedOwners;

	beforeEach(() => {
		[ahead, gone, asked, isAway] = [0, new Set(["bob"]), [], false];
		turnBack = turnClock({ now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead });
		owners = new DepartedOwners(async (people) => {
			asked.push(people.map(({ user_id }) => user_id));
			if (isAway) throw new Error("away");
			return people.filter(({ user_id }) => gone.has(user_id));
		});
	});
	afterEach(() => turnBack());

	const of = (owner: string): Owner => ({ tenant: "acme", owner });

	it("asks once for many sessions of an owner, and again after a few seconds", async () => {
		const isGone = await owners.among([of("ada"), of("bob"), of("ada"), of("bob"), {}]);
		expect([isGone(of("ada")), isGone(of("bob")), isGone({})]).to.deep.equal([false, true, false]);
		expect([await owners.has(of("ada")), await owners.has(of("bob"))]).to.deep.equal([false, true]);
		expect(asked).to.deep.equal([["ada", "bob"]]);
		gone.add("ada");
		ahead = 3_000;
		expect(await owners.has(of("ada"))).to.equal(true);
		expect(asked).to.deep.equal([["ada", "bob"], ["ada"]]);
	});

	it("asks about at most 500 people at a time", async () => {
		await owners.among(Array.from({ length: 1_200 }, (_none, n) => of(`person-${n}`)));
		expect(asked.map(({ length }) => length)).to.deep.equal([500, 500, 200]);
	});

	it("does not ask again at once when nobody can tell, and says so", async () => {
		isAway = true;
		expect((await failureOf<Error>(owners.has(of("ada")))).message).to.equal("away");
		isAway = false;
		expect((await failureOf<Error>(owners.has(of("ada")))).message).to.include("could not be found out");
		expect(asked).to.have.length(1);
		ahead = 3_000;
		expect(await owners.has(of("ada"))).to.equal(false);
	});
});
