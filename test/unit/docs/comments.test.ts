/** Comments are sentences or name what they describe; this test refuses the openings of fragments. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

/** A first word is enough to decide; `allowedOpenings` lists the few that begin a sentence in spite of it. */
const refusedWords = new Set(
	(
		"above after against along among anew around as at before behind below beneath beside besides between beyond by " +
		"despite down during except for from in inside into like near of off on onto out outside over past per since than " +
		"through throughout to toward towards under until upon via with within without " +
		"what whatever who whoever whom whose"
	).split(" "),
);

/** These continue with a subject and a verb: "For each session, the relay reads …". */
const allowedOpenings = /^(for (each|every|example)\b|by default\b)/i;

/** The first line of block comments, of consecutive lines with `//`, and of remarks behind code. */
const openings = [
	/^[ \t]*\/\*\*?\s*(?:\*[ \t]+)?(.+)/gm,
	/(?<!^[ \t]*\/\/.*\n)^[ \t]*\/\/[ \t]*(.+)/gm,
	/[;,{})\]][ \t]+\/\/[ \t]*(.+)/g,
];

function commentOpenings(source: string): string[] {
	return openings.flatMap((form) => [...source.matchAll(form)].map(([, text = ""]) => text.replace("*/", "").trim()));
}

function isRefused(opening: string): boolean {
	const first = /^[A-Za-z]+/.exec(opening)?.[0].toLowerCase() ?? "";
	return refusedWords.has(first) && !allowedOpenings.test(opening);
}

describe("comments", () => {
	// This file is left out, because it plants refused comments below.
	const files = trackedFiles("*.ts").filter((file) => file !== "test/unit/docs/comments.test.ts");

	it("begin with no bare preposition and with no relative pronoun", () => {
		expect(files).to.have.length.above(500);
		const found = files.flatMap((file) => {
			const refused = commentOpenings(readFileSync(join(projectRoot, file), "utf8")).filter(isRefused);
			return refused.map((opening) => `${file}: ${opening}`);
		});
		expect(found).to.deep.equal([]);
	});

	it("are found in each form, and refused when they are planted", () => {
		const source = [
			"/** Of a session. */",
			"/**",
			" * By its id.",
			" * of no interest",
			" */",
			"\t// From the head on,",
			"\t// with the tail.",
			"const a = 1; // Without a unit.",
			"const url = 'https://of.example';",
		].join("\n");
		const found = commentOpenings(source);
		expect(found).to.deep.equal(["Of a session.", "By its id.", "From the head on,", "Without a unit."]);
		expect(found.filter(isRefused)).to.deep.equal(found);
	});

	it("are not refused for a sentence that only seems to begin so", () => {
		for (const opening of ["For each session, the relay reads its outbox.", "Offers are listed.", "Bytes."])
			expect(isRefused(opening), opening).to.equal(false);
	});
});
