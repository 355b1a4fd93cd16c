import { expect } from "chai";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { chosenFolders, serviceFolders } from "#host/service-folders.ts";
import { CommandLineError } from "#shared/config/command-line.ts";
import { projectRoot } from "#shared/base/project-root.ts";

describe("chosenFolders()", () => {
	it("knows every folder of services", () => {
		const folders = readdirSync(join(projectRoot, "services"), { withFileTypes: true }).filter((entry) =>
			entry.isDirectory(),
		);
		expect([...serviceFolders].toSorted()).to.deep.equal(folders.map(({ name }) => name).toSorted());
	});

	it("has the named ones in the order in which they start, or all", () => {
		expect(chosenFolders([])).to.deep.equal(serviceFolders);
		expect(chosenFolders(["gateway", "sessions", "gateway"])).to.deep.equal(["sessions", "gateway"]);
	});

	it("refuses a name that no folder has", () => {
		for (const name of ["session", "", "../agent"])
			expect(() => chosenFolders(["sessions", name])).to.throw(CommandLineError, `There is no service "${name}"`);
	});
});
