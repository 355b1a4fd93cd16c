import { expect } from "chai";
import { revertOf } from "#services/git/confidence/calibration/revert.ts";
import { lastOfEachPull, scoreBands } from "#services/git/confidence/calibration/score-bands.ts";
import type { Evaluation, Outcome } from "#shared/contracts/git/confidence.ts";

const merge = "abcdef0123456789abcdef0123456789abcdef01";
const head = "1234567890abcdef1234567890abcdef12345678";
const mergedAt = Date.parse("2026-10-01T00:00:00Z");
const pull = { number: 12, source_branch: "session/cart", shas: [merge, head], mergedAt };

function found(text: string, at: string | null = "2026-10-02T00:00:00Z"): boolean {
	return revertOf(pull, [{ text, at, url: null }]) !== undefined;
}

describe("a revert", () => {
	it("names a commit of the pull request, whole or abbreviated, or the pull request", () => {
		expect(found(`Revert "Add the cart"\n\nThis reverts commit ${merge}.`)).to.equal(true);
		expect(found(`Revert ${head.slice(0, 8)}`)).to.equal(true);
		expect(found("REVERTED ABCDEF0 because of the sums")).to.equal(true);
		expect(found('Revert "Add the cart" (#13)\n\nReverts org/shop#12')).to.equal(true);
		expect(found("This reverts merge request !12")).to.equal(true);
		expect(found('Revert "Add the cart"\n\nrevert-12-session/cart')).to.equal(true);
	});

	it("is no other commit", () => {
		expect(found(`Cherry-picked from ${merge}`)).to.equal(false);
		expect(found("Revert the colours")).to.equal(false);
		expect(found("Revert fedcba9876543210")).to.equal(false);
		expect(found("Reverts org/shop#123")).to.equal(false);
		expect(found("Revert abcdef")).to.equal(false);
	});

	it("counts within 30 days after the merge", () => {
		const text = `This reverts commit ${merge}`;
		expect(found(text, "2026-10-31T00:00:00Z")).to.equal(true);
		expect(found(text, "2026-10-31T00:00:01Z")).to.equal(false);
		expect(found(text, "2026-09-30T23:59:59Z")).to.equal(false);
		expect(found(text, null)).to.equal(false);
	});
});

describe("the bands of a calibration", () => {
	const outcome = (state: Outcome["state"], reverted = false): Outcome => ({
		state,
		reverted,
		merged_at: null,
		reverted_by: null,
		checked_at: "",
	});

	it("count each pull request once, with rates of what is known", () => {
		const bands = scoreBands([
			{ score: 0.955, outcome: outcome("merged") },
			{ score: 0.9, outcome: outcome("merged", true) },
			{ score: 1, outcome: outcome("merged") },
			{ score: 1, outcome: undefined },
			{ score: 0.895, outcome: outcome("open") },
			{ score: 0, outcome: outcome("closed") },
		]);
		expect(bands.map(({ from, to }) => [from, to])).to.deep.equal([
			[0, 0.5],
			[0.5, 0.6],
			[0.6, 0.7],
			[0.7, 0.8],
			[0.8, 0.9],
			[0.9, 1],
		]);
		expect(bands.at(-1)).to.deep.include({
			evaluated: 4,
			merged: 3,
			reverted: 1,
			unchecked: 1,
			merge_rate: 1,
			revert_rate: 0.3333,
		});
		expect(bands[4]).to.deep.include({ evaluated: 1, merged: 0, merge_rate: 0, revert_rate: null });
		expect(bands.reduce((sum, { evaluated }) => sum + evaluated, 0)).to.equal(6);
	});

	it("read the last evaluation of each pull request, and none without one", () => {
		const evaluations = [
			{ id: "3", repo_url: "https://git.example/a", number: 1 },
			{ id: "2", repo_url: "https://git.example/a.git", number: 1 },
			{ id: "1", repo_url: null, number: null },
			{ id: "0", repo_url: "https://git.example/a", number: 2 },
		] as Evaluation[];
		const last = lastOfEachPull(evaluations, (url) =>
			url.replace(".git", ".").replace("git.example/a.", "git.example/a"),
		);
		expect(last.map(({ id }) => id).toSorted()).to.include.members(["3", "0"]);
	});
});
