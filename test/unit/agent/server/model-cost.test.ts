import { expect } from "chai";
import { modelCost } from "#agent/server/model-cost.ts";

const counts = { input: 1_000, output: 50, cache_read: 200, cache_write: 0 };

describe("modelCost()", () => {
	it("is tokens by the prices of the launch, in dollars", () => {
		const prices = { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };
		expect(modelCost(counts, { prices })).to.equal(0.00381);
	});

	it("is unknown without a model or a price", () => {
		expect([modelCost(counts, undefined), modelCost(counts, {})]).to.deep.equal([undefined, undefined]);
	});
});
