import { expect } from "chai";
import fc from "fast-check";
import { fencedOutput, withoutFence } from "#shared/wire/pod/fenced-output.ts";

describe("fencedOutput()", () => {
	it("puts output between two lines that say that it is no Markdown", () => {
		expect(fencedOutput("# one\n# two\n")).to.equal("```\n# one\n# two\n```\n");
		expect(fencedOutput("no end of line")).to.equal("```\nno end of line\n```\n");
		expect(fencedOutput("")).to.equal("");
	});

	it("has a fence that is longer than any in the output", () => {
		expect(fencedOutput("```\ncode\n```\n")).to.equal("````\n```\ncode\n```\n````\n");
		expect(fencedOutput("a ````` b")).to.equal("``````\na ````` b\n``````\n");
	});
});

describe("withoutFence()", () => {
	const output = fc
		.array(fc.constantFrom("`", "```", "\n", "~", " ", "a"), { maxLength: 40 })
		.map((all) => all.join(""));

	it("returns any output, and the text after it", () => {
		const isGivenBack = (text: string, behind: string) =>
			withoutFence(fencedOutput(`${text}\n`) + behind) === `${text}\n${behind}`;
		fc.assert(fc.property(output, fc.constantFrom("", "exit code 3"), isGivenBack));
	});

	it("does not change any other text", () => {
		for (const text of ["", "said", "```ts\ncode\n```\n", "```\nnever closed", "see:\n```\ncode\n```\n"])
			expect(withoutFence(text)).to.equal(text);
	});
});
