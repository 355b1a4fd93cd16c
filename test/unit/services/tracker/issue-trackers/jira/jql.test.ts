/** Queries in Jira's language: whatever people write stays a text. */
import { expect } from "chai";
import fc from "fast-check";
import { isIssueKey, recentJql, searchJql } from "#services/tracker/issue-trackers/jira/jql.ts";
import { readJql } from "../../../../../support/providers/jira/jql-reader.ts";

/** Texts with which people tried to leave the quotes, or to command the index behind them. */
const attacks = [
	'"',
	'\\"',
	'\\\\" OR project = SECRET OR text ~ "x',
	'crash" OR project = "SECRET',
	'crash" ORDER BY created ASC --',
	"crash' OR 'a'='a",
	"crash\nOR project = SECRET",
	"crash\u0000OR\u2028project",
	"summary:secret AND (a OR NOT b)",
	'+must -mustnot ~fuzzy^9 [a TO z] {x} a?b* "phrase"~3 a\\:b && c || !d',
	"OR AND NOT",
	"~~~~",
	"currentUser()",
	"issue in linkedIssues(API-1)",
	"\\",
	"\\\\",
	'\u201cquotes\u201d OR "x"',
	"ﬀ ﬁ ＂ fullwidth ＂ OR project = SECRET",
	"x".repeat(5_000),
	"a ".repeat(5_000),
];

describe("a query in Jira's language", () => {
	it("has the words of a text, and nothing else of it", () => {
		expect(searchJql("Login fails: 401!", "API")).to.equal(
			'project = "API" AND text ~ "login fails 401" ORDER BY updated DESC',
		);
		expect(searchJql("größer 日本語 naïve_x")).to.equal('text ~ "größer 日本語 naïve_x" ORDER BY updated DESC');
	});

	it("is none for a text without words, and that of the project when there is one", () => {
		expect(searchJql(' "*" ')).to.equal(undefined);
		expect(searchJql(' "*" ', "API")).to.equal('project = "API" ORDER BY updated DESC');
		expect(recentJql("API")).to.equal('project = "API" ORDER BY updated DESC');
	});

	for (const attack of attacks) {
		it(`keeps ${JSON.stringify(attack.slice(0, 60))} a text and a project`, () => {
			const query = readJql(searchJql(attack, "API") ?? "");
			expect(query.project).to.equal("API");
			expect(readJql(recentJql(attack)).project).to.equal(attack.slice(0, 200).replace(/\p{Cc}+/gu, " "));
		});
	}

	it("stays one whatever the text and the project are", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, project) => {
				const { project: read, words = [] } = readJql(searchJql(text, project) ?? "");
				expect(read).to.equal(project.slice(0, 200).replace(/\p{Cc}+/gu, " "));
				expect(words.every((word) => /^[\p{L}\p{M}\p{N}_]+$/u.test(word))).to.equal(true);
			}),
		);
	});

	it("is not needed for a key", () => {
		for (const key of ["API-1", "a2_b-99"]) expect(isIssueKey(key), key).to.equal(true);
		for (const text of ["API", "API-", "-1", "API-1 OR 1=1", "../API-1", "API-1\n"])
			expect(isIssueKey(text), text).to.equal(false);
	});
});
