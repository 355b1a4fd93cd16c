import { expect } from "chai";
import { hostsOf, resolveInternalName } from "#shared/net/egress/internal-names.ts";

describe("hostsOf()", () => {
	it("reads addresses with their names, without comments and lines of another form", () => {
		const content = `127.0.0.1 localhost # this machine\n# 10.0.0.9 none\n10.0.0.1\tGit.corp.example git\nfd00::1 git\nno address\n\n`;
		expect([...hostsOf(content)]).to.deep.equal([
			["localhost", ["127.0.0.1"]],
			["git.corp.example", ["10.0.0.1"]],
			["git", ["10.0.0.1", "fd00::1"]],
		]);
	});
});

describe("resolveInternalName()", () => {
	it("knows the names of the machine's file of hosts", async () => {
		expect(await resolveInternalName("localhost")).to.include("127.0.0.1");
	});
});
