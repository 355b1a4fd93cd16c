/** How GitLab's approvals and diffs become evidence. */
import { expect } from "chai";
import { fileOf, isCut, pipelinesOf, reviewsFrom } from "#services/git/git-providers/gitlab/gitlab-evidence.ts";

const [first, second] = ["a".repeat(40), "b".repeat(40)];
const versions = [
	{ head_commit_sha: second, created_at: "2026-01-02T00:00:00Z" },
	{ head_commit_sha: first, created_at: "2026-01-01T00:00:00Z" },
];
const approval = (username: string, approved_at?: string) => ({ user: { username }, approved_at });
const url = "https://gitlab.example/a/b/-/merge_requests/1";

describe("the reviews of a merge request", () => {
	it("are of the newest commit that was pushed before the approval", () => {
		const approvals = {
			approved_by: [approval("bob", "2026-01-02T12:00:00Z"), approval("eve", "2026-01-01T12:00:00Z")],
		};
		const reviews = reviewsFrom({ approvals, reviewers: [], versions, url });
		expect(reviews.map(({ author, commit }) => [author, commit])).to.deep.equal([
			["eve", first],
			["bob", second],
		]);
	});

	it("are of an unknown commit when the time of the approval is not told", () => {
		const [review] = reviewsFrom({ approvals: { approved_by: [approval("bob")] }, reviewers: [], versions, url });
		expect(review).to.deep.include({ state: "approved", commit: null, at: null });
	});

	it("keep the wish for changes of somebody who has approved before", () => {
		const reviewers = [
			{ user: { username: "bob" }, state: "requested_changes" },
			{ user: { username: "eve" }, state: "reviewed" },
			{ user: { username: "kim" }, state: "approved" },
		];
		const approvals = { approved_by: [approval("bob", "2026-01-02T12:00:00Z")] };
		const reviews = reviewsFrom({ approvals, reviewers, versions, url });
		expect(reviews.map(({ author, state }) => [author, state])).to.deep.equal([
			["bob", "approved"],
			["bob", "changes_requested"],
			["eve", "commented"],
		]);
	});
});

describe("the pipeline of a merge request", () => {
	const pipeline = { id: 1, status: "success", sha: second, ref: "work", created_at: "2026-01-02T00:01:00Z" };
	const shown = (changed: object) => pipelinesOf({ sha: second, head_pipeline: { ...pipeline, ...changed } }, versions);

	it("counts when it is of the head, and not when it is of an older commit", () => {
		expect(shown({})).to.have.length(1);
		expect(shown({ sha: first }), "a push that made no pipeline").to.deep.equal([]);
		expect(shown({ sha: undefined })).to.deep.equal([]);
		expect(pipelinesOf({ sha: second, head_pipeline: null }, versions)).to.deep.equal([]);
	});

	it("counts when it is of a merge of the head, which has a commit of its own", () => {
		const merge = { sha: "c".repeat(40), ref: "refs/merge-requests/1/merge" };
		expect(shown(merge)).to.have.length(1);
		expect(shown({ ...merge, created_at: "2026-01-01T12:00:00Z" }), "before the last push").to.deep.equal([]);
		expect(shown({ ...merge, ref: "refs/merge-requests/1/head" })).to.deep.equal([]);
		expect(pipelinesOf({ sha: second, head_pipeline: { ...pipeline, ...merge } }, [])).to.deep.equal([]);
	});
});

describe("a changed file", () => {
	it("has the lines that its diff adds and removes, whatever they begin with", () => {
		const diff = "@@ -1,2 +1,3 @@\n same\n-old\n+++ new\n+--- newer\n\\ No newline at end of file\n";
		expect(fileOf({ new_path: "a.md", diff })).to.deep.equal({ path: "a.md", additions: 2, deletions: 1 });
		expect(fileOf({ new_path: "b.bin" })).to.deep.equal({ path: "b.bin", additions: 0, deletions: 0 });
	});

	it("is hidden when its lines were left out, also by an older GitLab, which does not say so", () => {
		const file = { new_path: "a.ts" };
		expect(isCut({ ...file, diff: "", too_large: true, collapsed: false })).to.equal(true);
		expect(isCut({ ...file, diff: "", too_large: false, collapsed: true })).to.equal(true);
		expect(isCut({ ...file, diff: "" })).to.equal(true);
		expect(isCut({ ...file, diff: "", too_large: false, collapsed: false }), "an empty file").to.equal(false);
		expect(isCut({ ...file, diff: "+a\n" })).to.equal(false);
	});
});
