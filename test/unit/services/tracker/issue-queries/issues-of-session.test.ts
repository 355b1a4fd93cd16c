import { expect } from "chai";
import { wordsOf } from "#services/tracker/issue-queries/issues-of-session.ts";

describe("wordsOf()", () => {
	for (const [name, branch, words] of [
		["fix-login", "feature/login-timeout", "login timeout"],
		["session", "main", ""],
		["überweisung-2", "fix/ÜBERWEISUNG", "überweisung"],
		["a-b-c-d", "x", ""],
		["one-two", "three-four-five-six-seven-eight-nine-ten", "one two three four five six seven eight"],
	] as const) {
		it(`finds "${words}" in ${name} on ${branch}`, () => {
			expect(wordsOf({ name, branch })).to.equal(words);
		});
	}
});
