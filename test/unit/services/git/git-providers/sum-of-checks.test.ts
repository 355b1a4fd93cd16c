import { expect } from "chai";
import { sumOfChecks } from "#services/git/git-providers/sum-of-checks.ts";
import type { CiStatus } from "#services/git/providers/git-provider.ts";

describe("the sum of checks", () => {
	const sum = (states: CiStatus[], more = false) =>
		sumOfChecks({ checks: states.map((state) => ({ name: "c", state, url: null, at: null })), more });

	it("is that of the worst, and unknown without any", () => {
		expect(sum(["passing", "failing", "pending"])).to.equal("failing");
		expect(sum(["passing", "unknown", "pending"])).to.equal("pending");
		expect(sum(["passing", "unknown"])).to.equal("unknown");
		expect(sum(["passing"])).to.equal("passing");
		expect(sum([])).to.equal("unknown");
		expect(sum(["passing"], true)).to.equal("unknown");
		expect(sum(["failing"], true)).to.equal("failing");
	});
});
