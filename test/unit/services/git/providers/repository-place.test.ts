import { expect } from "chai";
import { barePlace, isAt, repositoryAddress, webHost } from "#services/git/providers/repository-place.ts";

const at = (host: string, ...path: string[]) => ({ host, path });

describe("repositoryAddress", () => {
	for (const [text, address] of [
		["https://github.com/org/repo", at("github.com", "org", "repo")],
		["https://github.com/org/repo.git", at("github.com", "org", "repo")],
		["https://github.com/org/repo/", at("github.com", "org", "repo")],
		["https://github.com/org/repo.git/", at("github.com", "org", "repo")],
		["http://github.com/org/repo", at("github.com", "org", "repo")],
		["github.com/org/repo", at("github.com", "org", "repo")],
		["HTTPS://GitHub.COM/Org/Repo.git", at("github.com", "Org", "Repo")],
		["git@github.com:org/repo.git", at("github.com", "org", "repo")],
		["git@GITHUB.com:org/repo", at("github.com", "org", "repo")],
		["github.com:org/repo.git", at("github.com", "org", "repo")],
		["git@github.com:/org/repo.git", at("github.com", "org", "repo")],
		["ssh://git@github.com/org/repo.git", at("github.com", "org", "repo")],
		["ssh://git@git.example:2222/org/repo.git", at("git.example", "org", "repo")],
		["https://git.example:8443/org/repo.git", at("git.example:8443", "org", "repo")],
		["git.example:8443/org/repo", at("git.example:8443", "org", "repo")],
		["https://git.example:443/org/repo", at("git.example", "org", "repo")],
		["https://gitlab.com/group/sub/deep/repo.git", at("gitlab.com", "group", "sub", "deep", "repo")],
		["git@gitlab.com:group/sub/repo.git", at("gitlab.com", "group", "sub", "repo")],
		["  https://github.com/org/repo  ", at("github.com", "org", "repo")],
		["https://github.com/org/.git", at("github.com", "org", ".git")],
		["https://github.com/org/.github", at("github.com", "org", ".github")],
	] as const) {
		it(`reads ${JSON.stringify(text)}`, () => expect(repositoryAddress(text)).to.deep.include(address));
	}

	for (const text of [
		"",
		"org/repo",
		"repo",
		"https://github.com",
		"https://github.com/org",
		"https://user@github.com/org/repo",
		"https://user:secret@github.com/org/repo",
		"ssh://git:secret@github.com/org/repo",
		"https://github.com/org/repo?x=1",
		"https://github.com/org/repo#x",
		"https://github.com/org/re po",
		"https://github.com/org/re%2Fpo",
		"https://github.com/org/..%2f..",
		"https://github.com/org/repo\n",
		"https://github.com/org/\u0000repo",
		"ftp://github.com/org/repo",
		"file:///org/repo",
		"javascript:alert(1)//x",
		`https://github.com/org/${"x".repeat(3_000)}`,
	]) {
		const isBlankAround = text.trim() !== text;
		if (isBlankAround) continue;
		it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => expect(repositoryAddress(text)).to.equal(undefined));
	}
});

describe("barePlace", () => {
	it("is GitHub's short form", () => {
		expect(barePlace("org/repo")).to.deep.equal({ owner: "org", name: "repo" });
		expect(barePlace("org/repo.js.git")).to.deep.equal({ owner: "org", name: "repo.js" });
		for (const text of ["repo", "a.b/repo", "a/b/c", "git@x:o/r", "org/", "/repo", "org/..", "org/re po", "x:y/z"])
			expect(barePlace(text), text).to.equal(undefined);
	});
});

describe("isAt", () => {
	it("compares the port of web pages, and not that of ssh", () => {
		const host = webHost("https://Git.Example:8443/api/v4");
		expect(host).to.equal("git.example:8443");
		for (const [text, found] of [
			["https://git.example:8443/o/r", true],
			["https://git.example/o/r", false],
			["ssh://git@git.example:2222/o/r", true],
			["git@git.example:o/r", true],
			["git@other.example:o/r", false],
		] as const) {
			const address = repositoryAddress(text);
			expect(address && isAt(address, host), text).to.equal(found);
		}
	});
});
