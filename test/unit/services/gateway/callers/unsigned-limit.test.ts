import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";
import { forwardedFor, UnsignedLimit } from "#services/gateway/callers/unsigned-limit.ts";

const ignore = (): void => {};
const from = (address: string, provider = "github") => ({ address, provider });

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
			const begun = limit.begin(from("a"), ignore);
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

	/** Sends messages until one is refused, at most 1,000; returns how many were taken. */
	function taken(limit: UnsignedLimit, sender: ReturnType<typeof from>, isRight: boolean): number {
		for (let count = 0; count < 1_000; count++) {
			const begun = limit.begin(sender, ignore);
			try {
				begun.work();
				begun.judged(isRight);
			} catch {
				return count;
			} finally {
				begun.end();
			}
		}
		return 1_000;
	}

	it("refuses what a provider sends beyond a burst of 100 and 50 in a second", () => {
		const limit = new UnsignedLimit();
		expect(taken(limit, from("a"), true)).to.equal(100);
		expect(taken(limit, from("a", "gitlab"), true), "another provider").to.equal(100);
		at += 1_000;
		expect(taken(limit, from("a"), true)).to.equal(50);
		at += 60_000;
		expect(taken(limit, from("a"), true)).to.equal(100);
	});

	it("counts wrong signatures for their address only", () => {
		const limit = new UnsignedLimit();
		expect(taken(limit, from("1.2.3.4"), false)).to.equal(50);
		expect(taken(limit, from("1.2.3.4", "gitlab"), false), "for another provider").to.equal(0);
		expect(taken(limit, from("1.2.3.5"), true), "the provider").to.equal(100);
		at += 60_000;
		expect(taken(limit, from("1.2.3.4"), false)).to.equal(50);
	});

	it("counts wrong signatures that come by a proxy for the address behind it (X10)", () => {
		const limit = new UnsignedLimit();
		const behind = (forwarded: string) => ({ ...from("10.0.0.1"), forwardedFor: forwarded });
		expect(taken(limit, behind("1.2.3.4"), false)).to.equal(50);
		expect(taken(limit, behind("1.2.3.5"), true)).to.equal(100);
		expect(taken(limit, behind("1.2.3.4"), true)).to.equal(0);
	});

	for (const [header, address] of [
		[undefined, undefined],
		["", undefined],
		["1.2.3.4", "1.2.3.4"],
		["6.6.6.6, 1.2.3.4", "1.2.3.4"],
		["1.2.3.4, 2001:db8::1", "2001:db8::1"],
		["1.2.3.4, anything", undefined],
	] as const) {
		it(`finds ${address} in "${header}"`, () => {
			expect(forwardedFor(header === undefined ? {} : { "x-forwarded-for": header })).to.equal(address);
		});
	}

	it("takes the addresses of a network of IPv6 for one", () => {
		const limit = new UnsignedLimit();
		taken(limit, from("2001:db8:1:2:3:4:5:6"), false);
		expect(taken(limit, from("2001:db8:1:2:7::1"), false)).to.equal(0);
		expect(taken(limit, from("2001:db8:1:3::1"), false)).to.equal(50);
		expect(taken(limit, from("2001:db8::1"), false)).to.equal(50);
		expect(taken(limit, from("2001:db8::2"), false)).to.equal(0);
	});

	it("takes no place and no part of the rate while a body is awaited", () => {
		const limit = new UnsignedLimit();
		for (let n = 0; n < 300; n++) limit.begin(from("slow"), ignore);
		expect(() => limit.begin(from("provider"), ignore).work()).not.to.throw();
	});

	it("ends the oldest that waits of the address with most, and no other", () => {
		const limit = new UnsignedLimit();
		const cut: string[] = [];
		const begin = (address: string, n: number) => limit.begin(from(address), () => cut.push(`${address} ${n}`));
		const provider = begin("provider", 0);
		const slow = Array.from({ length: 33 }, (_, n) => begin("slow", n));
		expect(cut).to.deep.equal(["slow 0", "slow 1"]);
		expect(() => slow[0]?.work()).to.throw(TooManyRequestsError);
		provider.work();
		slow[32]?.work();
	});
});
