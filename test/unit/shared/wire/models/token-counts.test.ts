import { expect } from "chai";
import fc from "fast-check";
import { addTokens, costMicros, noTokens, tokenKinds, totalTokens } from "#shared/wire/models/token-counts.ts";

const counts = (max: number) => {
	const count = fc.integer({ min: 0, max });
	return fc.record({ input: count, output: count, cache_read: count, cache_write: count });
};

describe("token counts", () => {
	it("cost whole micro-dollars, rounded half up once", () => {
		const prices = { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };
		expect(costMicros({ input: 1_000, output: 200, cache_read: 5, cache_write: 4 }, prices)).to.equal(6_017);
		expect(costMicros({ ...noTokens, cache_read: 1 }, prices)).to.equal(0);
		expect(costMicros({ ...noTokens, cache_read: 1 }, { ...prices, cache_read: 500_000 })).to.equal(1);
	});

	it("are exact where floating point is not", () => {
		const prices = { input: 999_999_999_999, output: 1, cache_read: 1, cache_write: 1 };
		// The result was computed by hand: 9,007,199 × 999,999.999999 rounds to 9,007,198,999,991.
		expect(costMicros({ ...noTokens, input: 9_007_199 }, prices)).to.equal(9_007_198_999_991);
	});

	it("cost the same as exact fractions, for any numbers", () => {
		fc.assert(
			fc.property(counts(1_000_000), counts(100_000_000), (used, prices) => {
				const millionths = tokenKinds.reduce((sum, bucket) => sum + BigInt(used[bucket]) * BigInt(prices[bucket]), 0n);
				const distance = BigInt(costMicros(used, prices)) * 1_000_000n - millionths;
				return distance > -500_000n && distance <= 500_000n;
			}),
		);
	});

	it("add up bucket by bucket", () => {
		fc.assert(
			fc.property(
				counts(1_000),
				counts(1_000),
				(a, b) => totalTokens(addTokens(a, b)) === totalTokens(a) + totalTokens(b),
			),
		);
	});
});
