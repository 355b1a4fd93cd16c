/** How GitLab's words about a merge request are read. */
import { expect } from "chai";
import {
	type GitLabMergeRequest,
	hasConflict,
	mergeability,
	pullOf,
} from "#services/git/git-providers/gitlab/gitlab-shapes.ts";

const sha = "a".repeat(40);
const request = (change: Partial<GitLabMergeRequest>): GitLabMergeRequest => ({
	iid: 1,
	title: "t",
	state: "opened",
	web_url: "https://gitlab.example/a/b/-/merge_requests/1",
	source_branch: "work",
	target_branch: "main",
	sha,
	...change,
});

describe("a merge request", () => {
	it("can be merged, cannot, or is not decided", () => {
		const words = {
			mergeable: true,
			checking: null,
			unchecked: null,
			conflict: false,
			draft_status: false,
			not_approved: false,
		};
		for (const [word, expected] of Object.entries(words))
			expect(mergeability(request({ detailed_merge_status: word })), word).to.equal(expected);
		expect(mergeability(request({ merge_status: "can_be_merged" }))).to.equal(true);
		expect(mergeability(request({ merge_status: "cannot_be_merged" }))).to.equal(false);
		expect(mergeability(request({ merge_status: "cannot_be_merged_recheck" }))).to.equal(null);
	});

	it("that is not open cannot be merged", () => {
		expect(mergeability(request({ state: "merged", detailed_merge_status: "mergeable" }))).to.equal(false);
	});

	it("has a conflict when GitLab says so, and not when a rule forbids the merge", () => {
		expect(hasConflict(request({ detailed_merge_status: "conflict" }))).to.equal(true);
		expect(hasConflict(request({ has_conflicts: true }))).to.equal(true);
		expect(hasConflict(request({ detailed_merge_status: "ci_must_pass" }))).to.equal(false);
	});

	it("has the commit of its merge only when it is merged", () => {
		const merge = "b".repeat(40);
		expect(pullOf(request({ merge_commit_sha: merge })).merge_sha).to.equal(null);
		expect(pullOf(request({ state: "merged", merge_commit_sha: merge })).merge_sha).to.equal(merge);
		expect(pullOf(request({ state: "merged" })).merge_sha).to.equal(sha);
		expect(pullOf(request({ state: "locked" })).status).to.equal("open");
	});
});
