import { expect } from "chai";
import { launchWarnings, newLaunchWarnings } from "#services/sessions/claims/launch-warnings.ts";

describe("launchWarnings()", () => {
	it("keeps the warnings of the creation, and those of the present launch instead of those of an earlier one", () => {
		const first = launchWarnings(["skills: none"], ["a", "b"], false);
		expect(first).to.deep.equal(["skills: none", "launch: a", "launch: b"]);
		expect(launchWarnings(first ?? [], ["c"], false)).to.deep.equal(["skills: none", "launch: c"]);
		expect(launchWarnings(first ?? [], [], false)).to.deep.equal(["skills: none"]);
	});

	it("says of a launch only what was reported before the session ran", () => {
		const ran = launchWarnings(["skills: none", "launch: a"], ["b", "a"], true) ?? [];
		expect(ran).to.deep.equal(["skills: none", "while running: b", "launch: a"]);
		expect(launchWarnings(ran, ["b", "a"], true)).to.equal(undefined);
		expect(launchWarnings(ran, ["b"], false)).to.deep.equal(["skills: none", "launch: b"]);
	});

	it("is nothing when clients would see no difference", () => {
		expect(launchWarnings(["skills: none", "launch: a"], ["a"], false)).to.equal(undefined);
		expect(launchWarnings([], [], true)).to.equal(undefined);
	});
});

describe("newLaunchWarnings()", () => {
	it("returns what a pod reports for the first time, whenever it does, and nothing of the creation", () => {
		const before = ["skills: none", "launch: a", "while running: b"];
		const after = ["rules: none", "launch: a", "launch: b", "launch: c", "while running: d"];
		expect(newLaunchWarnings(before, after)).to.deep.equal(["c", "d"]);
	});
});
