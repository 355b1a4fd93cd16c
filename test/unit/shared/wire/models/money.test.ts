import { expect } from "chai";
import fc from "fast-check";
import { dollarsOf, microsOf, priceTag } from "#shared/wire/models/money.ts";

describe("money", () => {
	it("is the same in dollars and in micro-dollars", () => {
		fc.assert(
			fc.property(fc.integer({ min: -1e12, max: 1e12 }), (micros) => {
				expect(microsOf(dollarsOf(micros))).to.equal(micros + 0);
			}),
		);
	});

	it("is rounded to whole micro-dollars", () => {
		expect([microsOf(0.1 + 0.2), microsOf(0.0000004), microsOf(0.0000005), microsOf(1e6)]).to.deep.equal([
			300_000, 0, 1, 1e12,
		]);
	});

	const tags: [micros: number, tag: string][] = [
		[0, "$0.00"],
		[1, "$0.000001"],
		[10_000, "$0.01"],
		[10_500, "$0.0105"],
		[100_000, "$0.10"],
		[2_000_000, "$2.00"],
		[1_000_000_100_000, "$1000000.10"],
	];
	for (const [micros, tag] of tags) {
		it(`is shown as ${tag}`, () => {
			expect(priceTag(micros)).to.equal(tag);
		});
	}
});
