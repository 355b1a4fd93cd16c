import { expect } from "chai";
import { turnClock } from "#shared/clock.ts";
import { TooManyRequestsError } from "#shared/errors.ts";
import { UnsignedLimit } from "#services/gateway/callers/unsigned-limit.ts";

describe("the limit of unsigned requests", () => {
	let at = 0;
	let turnBack = () => {};
	before(() => {
		turnBack = turnClock({ now: () => 0, monotonic: () => at });
	});
	after(() => turnBack());

	it("refuses the seventeenth at a time, until one ends; a second end frees no second place", () => {
		const limit = new UnsignedLimit();
		const [first] = Array.from({ length: 16 }, () => limit.begin());
		expect(() => limit.begin()).to.throw(TooManyRequestsError);
		first?.end();
		first?.end();
		limit.begin();
		expect(() => limit.begin()).to.throw(TooManyRequestsError);
	});

	it("refuses what is beyond a burst of 100 and 50 in a second", () => {
		const limit = new UnsignedLimit();
		const taken = () => {
			for (let count = 0; ; count++)
				try {
					limit.begin().end();
				} catch {
					return count;
				}
		};
		expect(taken()).to.equal(100);
		at += 1_000;
		expect(taken()).to.equal(50);
		at += 60_000;
		expect(taken()).to.equal(100);
	});
});
