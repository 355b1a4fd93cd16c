/** How Gitea's words about pull requests, statuses and reviews are read. */
import { expect } from "chai";
import {
	checkOf,
	type GiteaPull,
	mergeability,
	pullOf,
	reviewOf,
} from "#services/git/git-providers/gitea/gitea-shapes.ts";
import { nextPage } from "#services/git/git-providers/gitea/gitea-paths.ts";

const sha = "a".repeat(40);
const pull = (change: Partial<GiteaPull>): GiteaPull => ({
	number: 1,
	title: "t",
	html_url: "https://gitea.example/a/b/pulls/1",
	state: "open",
	head: { ref: "work", sha },
	base: { ref: "main", sha },
	...change,
});

describe("a pull request of Gitea", () => {
	it("is not known to conflict by a single false, which also means that Gitea still looks", () => {
		expect(mergeability(pull({ mergeable: true }))).to.equal(true);
		expect(mergeability(pull({ mergeable: false }))).to.equal(null);
		expect(mergeability(pull({ mergeable: true, draft: true }))).to.equal(false);
		expect(mergeability(pull({ mergeable: true, state: "closed" }))).to.equal(false);
	});

	it("is merged although its state is closed", () => {
		expect(pullOf(pull({ state: "closed", merged: true, merge_commit_sha: sha }))).to.deep.include({
			status: "merged",
			merge_sha: sha,
		});
		expect(pullOf(pull({ state: "closed", merged: false })).status).to.equal("closed");
	});
});

describe("the branch of a pull request of Gitea", () => {
	it("is one of the repository, or of a fork, also of one that was deleted", () => {
		const of = (head: object) =>
			pullOf(pull({ head: { ref: "work", sha, ...head }, base: { ref: "main", sha, repo_id: 7 } })).is_from_fork;
		expect([of({ repo_id: 7 }), of({ repo_id: 8 }), of({ repo_id: null }), of({})]).to.deep.equal([
			undefined,
			true,
			true,
			true,
		]);
	});
});

describe("evidence of Gitea", () => {
	it("has no check that was skipped, and no address that is no page", () => {
		const check = { context: "ci", status: "warning", target_url: "javascript:alert(1)" };
		expect(checkOf(check)).to.deep.equal([{ name: "ci", state: "failing", url: null, at: null }]);
		expect(checkOf({ ...check, status: "skipped" })).to.deep.equal([]);
	});

	it("counts approvals of those only who may write", () => {
		const review = { user: { login: "eve" }, state: "APPROVED", commit_id: sha };
		expect(reviewOf({ ...review, official: true })[0]?.state).to.equal("approved");
		expect(reviewOf({ ...review, official: false })[0]?.state).to.equal("commented");
		expect(reviewOf({ ...review, official: true, dismissed: true })[0]?.state).to.equal("dismissed");
		expect(reviewOf({ ...review, state: "REQUEST_CHANGES", official: false })[0]?.state).to.equal("changes_requested");
	});
});

describe("the next page of Gitea", () => {
	it("is the number of the link that says next", () => {
		const link = '<http://other/api/v1/x?limit=50&page=3>; rel="next",<http://other/api/v1/x?page=9>; rel="last"';
		expect(nextPage({ link })).to.equal(3);
		expect(nextPage({ link: '<http://other/x?page=1>; rel="first"' })).to.equal(undefined);
		expect(nextPage({})).to.equal(undefined);
	});
});
