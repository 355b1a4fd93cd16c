import { expect } from "chai";
import fc from "fast-check";
import { SeenNumbers } from "#shared/bus/seen-numbers.ts";

describe("SeenNumbers", () => {
	it("accepts every number once, in any order near the newest", () => {
		const shuffled = fc.shuffledSubarray(
			Array.from({ length: 200 }, (_, n) => n + 1),
			{ minLength: 200 },
		);
		fc.assert(
			fc.property(shuffled, (numbers) => {
				const seen = new SeenNumbers();
				expect(numbers.filter((number) => seen.add(number))).to.deep.equal(numbers);
				expect(numbers.filter((number) => seen.add(number))).to.deep.equal([]);
			}),
			{ numRuns: 20 },
		);
	});

	it("refuses a number that it may have forgotten", () => {
		const seen = new SeenNumbers();
		for (let number = 2; number <= 10_000; number++) expect(seen.add(number)).to.equal(true);
		expect([1, 2, 5_000, 9_999].map((number) => seen.add(number))).to.deep.equal([false, false, false, false]);
		expect(seen.add(10_001)).to.equal(true);
	});

	it("accepts a number that a few others have overtaken", () => {
		const seen = new SeenNumbers();
		for (let number = 2; number <= 4_000; number++) seen.add(number);
		expect([seen.add(1), seen.add(1)]).to.deep.equal([true, false]);
	});
});
