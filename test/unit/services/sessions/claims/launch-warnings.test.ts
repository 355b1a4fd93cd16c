import { expect } from "chai";
import { launchWarnings } from "#services/sessions/claims/launch-warnings.ts";

describe("launchWarnings()", () => {
	it("keeps the warnings of the creation, and those of the present launch instead of those of an earlier one", () => {
		const first = launchWarnings(["skills: none"], ["a", "b"]);
		expect(first).to.deep.equal(["skills: none", "launch: a", "launch: b"]);
		expect(launchWarnings(first ?? [], ["c"])).to.deep.equal(["skills: none", "launch: c"]);
		expect(launchWarnings(first ?? [], [])).to.deep.equal(["skills: none"]);
	});

	it("is nothing when clients would see no difference", () => {
		expect(launchWarnings(["skills: none", "launch: a"], ["a"])).to.equal(undefined);
		expect(launchWarnings([], [])).to.equal(undefined);
	});
});
