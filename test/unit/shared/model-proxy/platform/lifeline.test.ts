import { expect } from "chai";
import { Lifeline } from "#shared/model-proxy/platform/lifeline.ts";
import { now, turnClock } from "#shared/base/clock.ts";

describe("Lifeline", () => {
	let time = 0;
	let lost = 0;
	let lifeline: Lifeline;
	let putBack: () => void;

	beforeEach(() => {
		[time, lost] = [0, 0];
		putBack = turnClock({ now, monotonic: () => time });
		lifeline = new Lifeline(1_000, () => lost++);
	});
	afterEach(() => putBack());

	function missAt(moment: number): void {
		time = moment;
		lifeline.missed();
	}

	it("breaks when all reports failed since the first failure", () => {
		missAt(5_000);
		missAt(5_999);
		expect(lost).to.equal(0);
		missAt(6_000);
		expect(lost).to.equal(1);
	});

	it("holds when any report succeeded in between", () => {
		missAt(0);
		lifeline.answered();
		missAt(999);
		missAt(1_998);
		expect(lost).to.equal(0);
	});

	it("does not count time without a report: one failure after a long sleep is no loss", () => {
		lifeline.answered();
		missAt(1_000_000);
		expect(lost).to.equal(0);
	});
});
