/** Names of issues: only what is a repository and a number becomes part of a path. */
import { expect } from "chai";
import { identifierOf, issuePlace, repositoryOf } from "#services/tracker/issue-trackers/github-issues/issue-place.ts";

describe("the place of an issue of GitHub", () => {
	it("is a repository and a number", () => {
		const place = issuePlace("acme/api.v2#12");
		expect(place).to.deep.equal({ owner: "acme", repo: "api.v2", issue_number: 12 });
		expect(place && identifierOf(place)).to.equal("acme/api.v2#12");
	});

	for (const id of [
		"",
		"12",
		"#12",
		"acme#12",
		"acme/api",
		"acme/api#0",
		"acme/api#1e3",
		"acme/api#-1",
		"acme/..#1",
		"acme/.#1",
	])
		it(`is not named by "${id}"`, () => expect(issuePlace(id)).to.equal(undefined));

	for (const name of ["../api", "acme/api/../x", "acme/api?x=1", "acme/a pi", "-acme/api", "acme/api\n", "acme/%2e%2e"])
		it(`has no repository ${JSON.stringify(name)}`, () => expect(repositoryOf(name)).to.equal(undefined));
});
