import { expect } from "chai";
import { Tally } from "#shared/base/concurrency/tally.ts";

describe("Tally", () => {
	it("counts by key, and keeps no key whose count is 0", () => {
		const tally = new Tally();
		tally.add("a");
		tally.add("a", 5);
		tally.add("b");
		expect([tally.of("a"), tally.of("b"), tally.of("c"), tally.size]).to.deep.equal([6, 1, 0, 2]);
		tally.add("a", -6);
		tally.add("b", -1);
		expect([tally.of("a"), tally.size]).to.deep.equal([0, 0]);
	});
});
