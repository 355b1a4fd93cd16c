import { expect } from "chai";
import { reviewStatus } from "#services/git/pulls/pull-view.ts";
import type { ReviewEvidence } from "#services/git/providers/git-provider.ts";

const head_sha = "a".repeat(40);
const base = { head_sha, target_branch: "main", author: "ada", mergeable: true, checks: [], files: [], more: false };
let reviewsMade = 0;
/** Each review is a second later than the one before. */
const review = (author: string, state: ReviewEvidence["state"], commit: string | null = head_sha): ReviewEvidence => ({
	author,
	state,
	commit,
	url: null,
	at: new Date(1_700_000_000_000 + 1_000 * reviewsMade++).toISOString(),
});

describe("reviewStatus()", () => {
	for (const [name, reviews, expected] of [
		["no review", [], "pending"],
		["an approval of the head", [review("grace", "approved")], "approved"],
		["an approval of an older commit", [review("grace", "approved", "b".repeat(40))], "pending"],
		["an approval by the author", [review("ada", "approved")], "pending"],
		["the last word of a reviewer", [review("grace", "changes_requested"), review("grace", "approved")], "approved"],
		[
			"a comment after a refusal",
			[review("grace", "changes_requested"), review("grace", "commented")],
			"changes_requested",
		],
		["one refusal of two", [review("grace", "approved"), review("alan", "changes_requested")], "changes_requested"],
		["an approval by somebody without a part in it", [{ ...review("eve", "approved"), is_outsider: true }], "pending"],
		["an approval by a program of GitHub", [review("helper[bot]", "approved")], "pending"],
		["an approval of an unknown commit", [review("grace", "approved", null)], "pending"],
		["a dismissed approval", [review("grace", "approved"), review("grace", "dismissed")], "pending"],
	] as const)
		it(`is ${expected} for ${name}`, () => expect(reviewStatus({ ...base, reviews })).to.equal(expected));

	it("is unknown when there are more reviews than were read", () =>
		expect(reviewStatus({ ...base, reviews: [review("grace", "approved")], more: true })).to.equal("unknown"));
});
