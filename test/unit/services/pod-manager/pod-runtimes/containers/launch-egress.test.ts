import { expect } from "chai";
import { hostOf } from "#services/pod-manager/pod-runtimes/containers/launch-egress.ts";

describe("hostOf()", () => {
	it("reads the host of a repository in both forms of git", () => {
		expect(hostOf("https://Git.Example.org:8443/a.git")).to.deep.equal(["git.example.org"]);
		expect(hostOf("git@git.example.org:a/b.git")).to.deep.equal(["git.example.org"]);
		expect(hostOf("ssh://git@git.example.org/a.git")).to.deep.equal(["git.example.org"]);
		expect([hostOf(""), hostOf("/local/folder")]).to.deep.equal([[], []]);
	});

	it("reads no host that would stand for all names below it", () => {
		for (const url of ["https://.org/x", "git@.org:x/y.git", "https://.example.org/x"])
			expect(hostOf(url), url).to.deep.equal([]);
	});
});
