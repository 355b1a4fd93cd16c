/** Every page of the documentation says at its beginning what it is for, and an index leads to it. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

function textOf(file: string): string {
	return readFileSync(join(projectRoot, file), "utf8");
}

/** The pages of the documentation that an index leads to: its own folder and, without one, those below. */
const indexes = [
	{ index: "docs/README.md", pages: (file: string) => /^docs\/[^/]+\.md$/.test(file) },
	{ index: "docs/evidence/README.md", pages: (file: string) => file.startsWith("docs/evidence/") },
	{ index: "docs/decisions/README.md", pages: (file: string) => /^docs\/decisions\/\d/.test(file) },
];

const decisions = trackedFiles("docs/decisions/*.md").filter((file) => /\/\d{4}-/.test(file));

describe("the pages of the documentation", () => {
	const pages = trackedFiles("docs/*.md");

	it("say in their first sentence what they are for", () => {
		const explained = pages.filter((file) => !decisions.includes(file));
		expect(explained).to.have.length.above(50);
		for (const page of [...explained, "test/support/README.md", "CHANGELOG.md"])
			expect(textOf(page), page).to.match(/^# .+\n\nThis page /);
	});

	for (const { index, pages: isListed } of indexes)
		it(`are linked from ${index}, each once or more`, () => {
			const text = textOf(index);
			const listed = pages.filter((file) => isListed(file) && file !== index);
			expect(listed).to.have.length.above(4);
			expect(listed.filter((file) => !text.includes(`](${relative(dirname(index), file)})`))).to.deep.equal([]);
		});

	it("are all below one of these indexes", () => {
		expect(pages.filter((file) => !indexes.some(({ pages: isListed }) => isListed(file)))).to.deep.equal([
			"docs/decisions/README.md",
		]);
	});
});

describe("the README", () => {
	const readme = textOf("README.md");

	it("ends with eight links, which answer the questions of a newcomer, and leaves the long list to docs/README.md", () => {
		const [, last = ""] = readme.split("## Where to go next\n");
		const linked = [...last.matchAll(/^\|.*\]\((.+)\)/gm)].map(([, page]) => page);
		expect(linked).to.have.length(8);
		expect(linked).to.include.members([
			"docs/first-session.md",
			"docs/first-session.md#with-a-model",
			"docs/one-server.md",
			"docs/README.md",
		]);
	});

	it("has the first screenful of a newcomer: what it is, a picture, two commands, what one sees, for whom it is", () => {
		const headings = [...readme.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
		expect(headings).to.deep.equal([
			"Run it",
			"What you see",
			"For whom it is, and is not yet",
			"What to know before you use it",
			"Where to go next",
			"Licence",
		]);
	});
});

describe("the pages of decisions", () => {
	it("have their number and their three parts", () => {
		expect(decisions).to.have.length.above(90);
		for (const page of decisions) {
			const number = /(\d{4})-[^/]+\.md$/.exec(page)?.[1];
			expect(textOf(page), page).to.match(new RegExp(`^# ${number} `));
			for (const part of ["Context", "Decision", "Consequence"]) expect(textOf(page), page).to.include(`**${part}`);
		}
	});

	it("are in the index with their titles, each once", () => {
		const rows = [...textOf("docs/decisions/README.md").matchAll(/^\| \[\d{4}\]\(([^)]+)\) \| (.+) \|$/gm)];
		const titles = decisions
			.filter((page) => !page.includes("/0000-"))
			.map((page) => `${basename(page)}: ${/^# \d{4} (.+)/.exec(textOf(page))?.[1]}`);
		expect(rows.map(([, page, title]) => `${page}: ${title}`).toSorted()).to.deep.equal(titles.toSorted());
	});
});
