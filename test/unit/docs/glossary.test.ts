/** The words that docs/glossary.md replaced are in no code, test or document. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** Refused wherever they stand, also as a part of a name in camelCase, kebab-case or snake_case. */
const refusedWords = new Set(
	"farewell burial bury burying buried hurry gist epitaph purse purses ground grounds".split(" "),
);

/** Refused as whole names only: parts of them are words of everyday English. */
const refusedNames = new Set(
	(
		"KeptAnswers NewAnswer kept_answers keptAnswers ReportName isHeard withHeard hasHeard SessionRemains Hearing " +
		"giveBack givenUp Alarm alarm rung Wish OneByOne Slots QuietLog ModelDoor RecordPlaces told_waiting KeptDiffs KeptConnections KeptSession " +
		"KeptConnection keptSecret leftRunning isToBeTold"
	).split(" "),
);

/** The record of what was replaced, and this list. */
const exceptions = ["docs/decisions/0036-words-of-the-field.md", "test/unit/docs/glossary.test.ts"];

function partsOf(name: string): string[] {
	return name.split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((part) => part.toLowerCase());
}

function refusedIn(text: string): string[] {
	const names = new Set(text.match(/\w+/g));
	return [...names].filter((name) => refusedNames.has(name) || partsOf(name).some((part) => refusedWords.has(part)));
}

describe("docs/glossary.md", () => {
	const page = readFileSync(join(projectRoot, "docs/glossary.md"), "utf8");
	const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.md"], {
		cwd: projectRoot,
		encoding: "utf8",
	});
	const files = listed.split("\n").filter((file) => file !== "" && existsSync(join(projectRoot, file)));

	it("is followed: no file has a replaced word in its name or its text", () => {
		const found = files
			.filter((file) => !exceptions.includes(file))
			.flatMap((file) => {
				const words = refusedIn(`${file}\n${readFileSync(join(projectRoot, file), "utf8")}`);
				return words.map((word) => `${file}: ${word}`);
			});
		expect(found).to.deep.equal([]);
		expect(files).to.have.length.above(500);
	});

	it("defines its words in alphabetical order, each once", () => {
		const words = [...page.matchAll(/^\| ([a-z][a-z -]+) \| ./gm)].map(([, word = ""]) => word).slice(1);
		expect(words).to.have.length.above(29);
		expect(words).to.deep.equal([...new Set(words)].toSorted());
	});

	it("refuses a planted word in each spelling, and no other that contains it", () => {
		for (const planted of ["ground", "PodGround", "podGround", "chronicle-burial.ts", "kept_answers", "#giveBack"])
			expect(refusedIn(`const one = ${planted};`), planted).to.have.length(1);
		expect(refusedIn("background, underground, logistics, heard, #release, hearing, wish")).to.deep.equal([]);
	});
});
