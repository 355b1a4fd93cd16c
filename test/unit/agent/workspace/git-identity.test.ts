import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { identityFile, parseIdentity } from "#agent/workspace/git-identity.ts";

describe("identityFile()", () => {
	let folder: string;
	before(() => (folder = mkdtempSync(join(tmpdir(), "atelier-identity-"))));
	after(() => rmSync(folder, { recursive: true }));

	it("is read by git with the same values, for any name", () => {
		const file = join(folder, "config");
		const word = fc.string({
			unit: fc.constantFrom("a", '"', "\\", ";", "#", "\n", " ", "ä", "]", "="),
			minLength: 1,
			maxLength: 8,
		});
		fc.assert(
			fc.property(word, word, (name, email) => {
				writeFileSync(file, identityFile({ name, email }));
				const listing = execFileSync("git", ["config", "--file", file, "-z", "--get-regexp", "^user\\."], {
					encoding: "utf8",
				});
				expect(parseIdentity(listing)).to.deep.equal({ name, email });
			}),
			{ numRuns: 60 },
		);
	});
});
