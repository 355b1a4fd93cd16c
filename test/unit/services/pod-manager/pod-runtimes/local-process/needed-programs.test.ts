import { expect } from "chai";
import { missingGit } from "#services/pod-manager/pod-runtimes/local-process/needed-programs.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

describe("missingGit()", () => {
	const folder = useFolder();

	it("says what to install when no folder of the PATH has git", async () => {
		for (const path of [folder(), "", "/nonexistent:/dev/null"])
			expect(await missingGit(path)).to.match(/^git is not installed.*install it.*apt-get install git/);
		expect(await missingGit(`${folder()}:${process.env["PATH"] ?? ""}`)).to.equal(undefined);
	});
});
