import { expect } from "chai";
import { turnClock } from "#shared/clock.ts";
import { TooManyRequestsError } from "#shared/errors.ts";
import { UnsignedLimit } from "#services/gateway/callers/unsigned-limit.ts";

const ignore = (): void => {};

describe("the limit of unsigned requests", () => {
	let at = 0;
	let turnBack = () => {};
	before(() => {
		turnBack = turnClock({ now: () => 0, monotonic: () => at });
	});
	after(() => turnBack());

	it("refuses the seventeenth that is worked on, until one ends; a second end frees no second place", () => {
		const limit = new UnsignedLimit();
		const begin = () => {
			const begun = limit.begin("a", ignore);
			begun.work();
			return begun;
		};
		const [first] = Array.from({ length: 16 }, begin);
		expect(begin).to.throw(TooManyRequestsError);
		first?.end();
		first?.end();
		begin();
		expect(begin).to.throw(TooManyRequestsError);
	});

	it("refuses what is beyond a burst of 100 and 50 in a second", () => {
		const limit = new UnsignedLimit();
		const taken = () => {
			for (let count = 0; ; count++) {
				const begun = limit.begin("a", ignore);
				try {
					begun.work();
				} catch {
					return count;
				} finally {
					begun.end();
				}
			}
		};
		expect(taken()).to.equal(100);
		at += 1_000;
		expect(taken()).to.equal(50);
		at += 60_000;
		expect(taken()).to.equal(100);
	});

	it("takes no place and no part of the rate while a body is awaited", () => {
		const limit = new UnsignedLimit();
		for (let n = 0; n < 300; n++) limit.begin("slow", ignore);
		expect(() => limit.begin("provider", ignore).work()).not.to.throw();
	});

	it("ends the oldest that waits of the address with most, and no other", () => {
		const limit = new UnsignedLimit();
		const cut: string[] = [];
		const begin = (address: string, n: number) => limit.begin(address, () => cut.push(`${address} ${n}`));
		const provider = begin("provider", 0);
		const slow = Array.from({ length: 33 }, (_, n) => begin("slow", n));
		expect(cut).to.deep.equal(["slow 0", "slow 1"]);
		expect(() => slow[0]?.work()).to.throw(TooManyRequestsError);
		provider.work();
		slow[32]?.work();
	});
});
