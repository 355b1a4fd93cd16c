import { expect } from "chai";
import { missingHostFiles } from "#shared/wire/launch/host-files.ts";

const repository = (url: string) => ({ url, branch: "", base_branch: "", path: "" });

describe("missingHostFiles()", () => {
	it("names the first folder or repository of the machine, whichever of the repositories it is", () => {
		const mounts = [{ host_path: "/srv/a", path: "", read_only: false }];
		expect(missingHostFiles({ repositories: [], mounts })).to.deep.include({ kind: "folder" });
		const further = missingHostFiles({ repositories: [repository("https://h/a/b"), repository("FILE:///srv/c")] });
		expect(further).to.deep.include({ kind: "repository" });
		expect(further?.sentence).to.include('"FILE:///srv/c"');
	});

	it("finds nothing in repositories of git hosts, and in a session without any", () => {
		const urls = ["", "https://git.example/a/file:", "git@git.example:a/b.git", "ssh://git@git.example/a"];
		expect(missingHostFiles({ repositories: urls.map(repository) })).to.equal(undefined);
	});
});
