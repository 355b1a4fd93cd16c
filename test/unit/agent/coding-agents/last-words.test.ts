import { expect } from "chai";
import { LastWords } from "#agent/coding-agents/last-words.ts";

describe("LastWords", () => {
	const of = (...lines: string[]): string => {
		const words = new LastWords();
		for (const line of lines) words.add(line);
		return words.text;
	};

	it("are the last sentence, not the details below it", () => {
		const thrown = ["node:internal/modules:7", "    throw err;", "    ^", "Error: Cannot find module 'x'"];
		const details = [
			"    at resolve (node:internal:1)",
			"at transform (chunk.js:3:1)",
			"  code: 'MODULE_NOT_FOUND'",
			"}",
		];
		expect(of(...thrown, ...details, "Node.js v24.1.0")).to.equal("Error: Cannot find module 'x'");
		expect(of("failed {", "  status: 500", "}")).to.equal("failed {");
	});

	it("are a detail without a sentence, and empty without a word", () => {
		expect(of("  code: 'ENOENT'", "}")).to.equal("code: 'ENOENT'");
		expect(of("}", "---")).to.equal("");
	});

	it("are the last ones", () => expect(of("one is said", "no key")).to.equal("no key"));
});
