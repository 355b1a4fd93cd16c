import { expect } from "chai";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";

describe("repositoryKey()", () => {
	it("is equal for all names of one repository", () => {
		for (const name of [
			"https://github.com/org/repo.git",
			"https://GitHub.com/org/repo",
			"https://github.com/org/repo/",
			"https://github.com/org/repo.git/",
			"git@github.com:org/repo.git",
			"git@github.com:/org/repo",
			"ssh://git@github.com/org/repo",
			"github.com/org/repo",
			" https://user@github.com/org/repo ",
		])
			expect(repositoryKey(name), name).to.equal("github.com/org/repo");
	});

	it("differs between repositories", () => {
		const names = [
			"https://github.com/org/repo",
			"https://github.com/org/Repo",
			"https://github.com/org/repo2",
			"https://github.com:8443/org/repo",
			"https://gitlab.com/org/repo",
			"file:///org/repo",
			"org/repo",
			".git",
			"",
		];
		expect(new Set(names.map(repositoryKey)).size).to.equal(names.length - 1);
	});
});
