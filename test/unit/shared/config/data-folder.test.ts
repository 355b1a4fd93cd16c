import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { dataFolderWarning } from "#shared/config/data-folder.ts";
import { useFolder } from "../../../support/use-folder.ts";

describe("dataFolderWarning()", () => {
	const folder = useFolder();

	for (const sign of ["package.json", "node_modules", ".git"]) {
		it(`names ${sign} above the folder, through symbolic links too`, () => {
			const root = join(folder(), sign.replace(".", "-"));
			mkdirSync(join(root, "a"), { recursive: true });
			mkdirSync(join(root, sign));
			symlinkSync(join(root, "a"), join(folder(), `link-${sign}`));
			const said = `is inside "${root}", which has ${sign}:`;
			expect(dataFolderWarning(join(root, "a/new/data"))).to.include(said);
			expect(dataFolderWarning(join(folder(), `link-${sign}`, "data")))
				.to.include(said)
				.and.to.include("docs/upgrade.md");
		});
	}

	it("says nothing of a folder below none of them", () => {
		expect(dataFolderWarning("/proc/self/atelier")).to.equal(undefined);
	});
});
