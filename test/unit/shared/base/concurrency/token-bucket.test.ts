import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import { TokenBucket } from "#shared/base/concurrency/token-bucket.ts";

describe("TokenBucket", () => {
	it("has a burst at first, gets its rate back up to the burst, and pays a debt first", () => {
		let at = 1_000;
		const turnBack = turnClock({ now: () => 0, monotonic: () => at });
		const bucket = new TokenBucket({ perSecond: 10, burst: 20 });
		expect(bucket.level).to.equal(20);
		for (let n = 0; n < 25; n++) bucket.spend();
		expect(bucket.level).to.equal(-5);
		at += 1_000;
		expect(bucket.level).to.equal(5);
		bucket.spend(3);
		at += 60_000;
		expect(bucket.level).to.equal(20);
		turnBack();
	});
});
