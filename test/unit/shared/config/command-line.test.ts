import { expect } from "chai";
import { CommandLineError, helpText, parseCommandLine } from "#shared/config/command-line.ts";

const table = {
	usage: "npm run things -- [<thing>]",
	summary: "Does things.",
	operands: { help: { "<thing>": "what is done" }, most: 1 },
	options: {
		count: { type: "string", value: "n", isNumber: true, default: "3", help: "how often" },
		only: { type: "string", value: "name", multiple: true, help: "one of them" },
		controls: { type: "boolean", default: true, help: "leaves out the controls" },
		keep: { type: "boolean", help: "keeps what was made" },
	},
} as const;

describe("a command line", () => {
	it("follows its table and the table's defaults", () => {
		const { values, positionals } = parseCommandLine(table, ["a", "--only", "x", "--only=y", "--no-controls"]);
		expect({ ...values, positionals }).to.deep.equal({
			count: "3",
			only: ["x", "y"],
			controls: false,
			positionals: ["a"],
		});
	});

	for (const [words, sentence] of [
		[["--nonsense"], "Unknown option '--nonsense'"],
		[["--count"], "Option '--count <value>' argument missing"],
		[["--count", "many"], 'Option --count cannot be "many": it must be a whole number'],
		[["--count=-1"], 'Option --count cannot be "-1": it must be a whole number'],
		[["--keep=yes"], "Option '--keep' does not take an argument"],
		[["a", "b"], 'Unexpected argument "b"'],
	] as const) {
		it(`is refused with a sentence: ${words.join(" ")}`, () => {
			expect(() => parseCommandLine(table, [...words]))
				.to.throw(CommandLineError)
				.with.property("message", sentence);
		});
	}

	it("is explained by the same table", () => {
		expect(helpText(table).split("\n")).to.deep.equal([
			"Usage: npm run things -- [<thing>]",
			"",
			"Does things.",
			"",
			"  <thing>        what is done",
			"  --count <n>    how often (default: 3)",
			"  --only <name>  one of them (may be given several times)",
			"  --no-controls  leaves out the controls",
			"  --keep         keeps what was made",
			"  --help         prints this and ends",
		]);
	});
});
