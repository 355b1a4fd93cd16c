import { spawnSync } from "node:child_process";
import { expect } from "chai";
import fc from "fast-check";
import { isBranchName } from "#shared/wire/git/branch-name.ts";

describe("isBranchName()", () => {
	for (const name of ["main", "feature/login", "release-1.2", "a/-b", "_", "v1.0.0", "dependabot/npm_and_yarn/x-1.2"]) {
		it(`accepts "${name}"`, () => expect(isBranchName(name)).to.equal(true));
	}

	const refused = ["", "-x", "--upload-pack=x", "a..b", "a b", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "a.lock/b"];
	for (const name of [...refused, "a.", "HEAD", "a~1", "a^", "a:b", "@{u}", "a\\b", "a\nb", "ä", "a".repeat(201)]) {
		it(`refuses "${name.slice(0, 20)}"`, () => expect(isBranchName(name)).to.equal(false));
	}

	it("accepts the same names of its characters as git check-ref-format", () => {
		const name = fc.stringMatching(/^[\w./-]{1,12}$/);
		const pieces = fc.array(fc.constantFrom("a", ".", "..", "/", "-", ".lock", "@", "_"), {
			minLength: 1,
			maxLength: 6,
		});
		fc.assert(
			fc.property(
				fc.oneof(
					name,
					pieces.map((parts) => parts.join("")),
				),
				(text) => {
					const { status } = spawnSync("git", ["check-ref-format", "--branch", text], { stdio: "ignore" });
					const inLetters = /^(?!-)[\w./-]+$/.test(text) && text !== "HEAD";
					expect(isBranchName(text), text).to.equal(status === 0 && inLetters);
				},
			),
			{ numRuns: 300 },
		);
	}).timeout(60_000);
});
