import { expect } from "chai";
import { pullDescription, pullTitle } from "#services/git/pulls/pull-text.ts";

describe("pullTitle()", () => {
	it("is one line of at most 250 characters, or names the session", () => {
		expect(pullTitle(" Fix\n\tit ", "s")).to.equal("Fix it");
		for (const none of [undefined, null, "", " \n"])
			expect(pullTitle(none, "fix-login")).to.equal("Session: fix-login");
		expect(pullTitle("x".repeat(999), "s")).to.have.length(250);
	});
});

describe("pullDescription()", () => {
	it("has the parts that the chronicle has", () => {
		const chronicle = { summary: "Repaired it.", key_changes: ["a", "b"], unfinished_work: "Tests" };
		expect(pullDescription(chronicle)).to.equal("Repaired it.\n\n## Key Changes\n- a\n- b\n\n## Remaining Work\nTests");
		expect(pullDescription({ summary: null, key_changes: [], unfinished_work: null })).to.equal("");
		expect(pullDescription(undefined)).to.equal("");
		expect(pullDescription({ ...chronicle, summary: "x".repeat(99_999) })).to.have.length(60_000);
	});
});
