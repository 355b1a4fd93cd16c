import { expect } from "chai";
import fc from "fast-check";
import { readCommits } from "#agent/timeline/commit-list.ts";

const at = "2026-11-21T10:00:00+01:00";

describe("readCommits()", () => {
	it("reads hash, time, subject and how many files", () => {
		const [one, other] = ["a".repeat(40), "b".repeat(64)];
		const output = `\u001e${one}\u001f${at}\u001fFirst\n\na.ts\n"b\\n.ts"\n\u001e${other}\u001f${at}\u001f\n`;
		expect(readCommits(output)).to.deep.equal([
			{ hash: one, at, subject: "First", files: 2 },
			{ hash: other, at, subject: "", files: 0 },
		]);
	});

	it("leaves out incomplete entries", () => {
		expect(readCommits(`\u001e${"a".repeat(39)}`)).to.deep.equal([]);
		expect(readCommits(`\u001e${"a".repeat(40)}\u001f2026-1`)).to.deep.equal([]);
		expect(readCommits("")).to.deep.equal([]);
	});

	it("reads back any subjects", () => {
		const subject = fc
			.string({ unit: "binary" })
			.filter((text) => !["\n", "\u001e", "\u001f"].some((mark) => text.includes(mark)));
		fc.assert(
			fc.property(fc.array(subject), (subjects) => {
				const output = subjects.map((text) => `\u001e${"c".repeat(40)}\u001f${at}\u001f${text}\n`).join("");
				expect(readCommits(output).map((commit) => commit.subject)).to.deep.equal(subjects);
			}),
		);
	});
});
