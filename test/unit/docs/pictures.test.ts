/** The pictures of the documents are those that `npm run pictures` makes, and they show every service. */
import { expect } from "chai";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { serviceFolders } from "#host/service-folders.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { systemPicture } from "../../../docs/pictures/system.ts";

describe("the picture of the system", () => {
	for (const mode of ["light", "dark"] as const)
		it(`is the one that \`npm run pictures\` makes, for ${mode} pages`, () => {
			const stored = readFileSync(join(projectRoot, `docs/pictures/system-${mode}.svg`), "utf8");
			expect(stored).to.equal(systemPicture(mode));
		});

	it("shows every service", () => {
		const titles = [...systemPicture("light").matchAll(/font-weight="600"[^>]*>([^<]+)</g)].map(([, title]) => title);
		expect(serviceFolders.filter((name) => !titles.includes(name))).to.deep.equal([]);
	});

	it("is in the README and in docs/architecture.md, for both kinds of pages", () => {
		for (const page of ["README.md", "docs/architecture.md"]) {
			const text = readFileSync(join(projectRoot, page), "utf8");
			const files = [...text.matchAll(/(?:srcset|src)="([^"]+\.svg)"/g)].map(([, file = ""]) => file);
			expect(files, page).to.have.length(2);
			for (const file of files) expect(existsSync(join(projectRoot, dirname(page), file)), file).to.equal(true);
		}
	});
});
