/** Searches in GitHub's language: whatever people write stays a text. */
import { expect } from "chai";
import fc from "fast-check";
import { searchQuery } from "#services/tracker/issue-trackers/github-issues/search-query.ts";

const place = "repo:acme/api";
const form = /^is:issue repo:acme\/api(?: "[\p{L}\p{M}\p{N}_]+")*$/u;

describe("a search in GitHub's language", () => {
	it("has the words of a text between quotes", () => {
		expect(searchQuery("Login fails: 401!", place)).to.equal(`is:issue ${place} "Login" "fails" "401"`);
		expect(searchQuery(" ** ", place)).to.equal(`is:issue ${place}`);
	});

	for (const attack of [
		"crash repo:acme/secret",
		'crash" repo:acme/secret "',
		"-repo:acme/api org:acme",
		"NOT crash OR is:pr",
		"a:b:c (x OR y) user:@me",
		"crash\nrepo:acme/secret",
		'\\" repo:acme/secret',
	]) {
		it(`makes no qualifier of ${JSON.stringify(attack)}`, () => expect(searchQuery(attack, place)).to.match(form));
	}

	it("has this form and no more than 256 characters whatever the text is", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
				const query = searchQuery(text, place);
				expect(query).to.match(form);
				expect(query.length).to.be.at.most(256);
			}),
		);
	});
});
