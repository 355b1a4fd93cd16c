/** Every page of the documentation says at its beginning what it is for, and the README leads to it. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

function textOf(file: string): string {
	return readFileSync(join(projectRoot, file), "utf8");
}

describe("the pages of the documentation", () => {
	const pages = trackedFiles("docs/*.md").filter((file) => !file.startsWith("docs/decisions/"));

	it("say in their first sentence what they are for", () => {
		expect(pages).to.have.length.above(15);
		for (const page of pages) expect(textOf(page), page).to.match(/^# .+\n\nThis page /);
	});

	it("are linked from the README", () => {
		const readme = textOf("README.md");
		expect(pages.filter((page) => !readme.includes(`](${page})`))).to.deep.equal([]);
	});
});

describe("the pages of decisions", () => {
	it("have their number and their three parts", () => {
		for (const page of trackedFiles("docs/decisions/*.md")) {
			const number = /(\d{4})-[^/]+\.md$/.exec(page)?.[1];
			expect(textOf(page), page).to.match(new RegExp(`^# ${number} `));
			for (const part of ["Context", "Decision", "Consequence"]) expect(textOf(page), page).to.include(`**${part}`);
		}
	});
});
