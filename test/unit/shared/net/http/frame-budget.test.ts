import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import { FrameBudget } from "#shared/net/http/frame-budget.ts";

describe("FrameBudget", () => {
	let time = 0;
	let putBack: () => void;

	before(() => {
		putBack = turnClock({ now: () => time, monotonic: () => time });
	});

	after(() => putBack());

	it("lets a burst of one second pass, and then as many frames as come back", () => {
		const budget = new FrameBudget({ frames: 10, bytes: 1_000_000 });
		for (let n = 0; n < 10; n++) expect(budget.spend(1)).to.be.below(1e-6);
		expect(budget.spend(1)).to.be.closeTo(100, 1e-6);
		expect(budget.spend(1)).to.be.closeTo(200, 1e-6);
		time += 200;
		expect(budget.spend(1)).to.be.closeTo(100, 1e-6);
	});

	it("counts large frames by their bytes", () => {
		const budget = new FrameBudget({ frames: 1_000, bytes: 1_000 });
		expect(budget.spend(1_000)).to.equal(0);
		expect(budget.spend(3_000)).to.be.closeTo(3_000, 1e-6);
	});

	it("is untouched when everything has come back, and not before", () => {
		const budget = new FrameBudget({ frames: 10, bytes: 1_000 });
		budget.spend(5_000);
		time += 4_999;
		expect(budget.isUntouched).to.equal(false);
		time += 1;
		expect(budget.isUntouched).to.equal(true);
	});
});
