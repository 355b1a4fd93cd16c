import { expect } from "chai";
import { gitRemedy } from "#agent/workspace/git-remedy.ts";

describe("gitRemedy()", () => {
	for (const [said, remedy] of [
		["fatal: Authentication failed for 'https://git.example/a/b/'", /private.*git_credential.*docs\/credentials\.md/],
		["fatal: could not read Username for 'https://github.com': terminal prompts disabled", /git_credential/],
		["fatal: unable to access 'https://x/': The requested URL returned error: 403", /git_credential/],
		["git@github.com: Permission denied (publickey).", /public ssh key.*git_credential/],
		["remote: Repository not found.", /check the URL.*private.*git_credential/],
		["fatal: repository 'https://github.com/a/b/' not found", /check the URL.*private.*git_credential/],
		[
			"remote: The project you were looking for could not be found or you don't have permission to view it.",
			/check the URL/,
		],
		["fatal: repository '/srv/a' does not exist", /check the path/],
		["fatal: '/srv/a' does not appear to be a git repository", /check the path/],
		["fatal: detected dubious ownership in repository at '/opt/a/.git'", /another user.*safe\.directory/],
		["fatal: unable to access 'http://x/': Failed to connect to x port 80 after 0 ms", /host and the port/],
		["ssh: connect to host x port 22: Connection refused", /host and the port/],
		["Host key verification failed.", /known_hosts.*ssh_key/],
		["No user exists for uid 231001", /passwd/],
		["The connection to git.example:22 is refused: its address is not a public one", /way out/],
		["fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate", /sslCAInfo/],
		["fatal: unable to access 'https://x/': Could not resolve host: x", /name server/],
	] as const)
		it(`says what to do about "${said}"`, () => expect(gitRemedy(["Cloning into 'x'...", said])).to.match(remedy));

	it("is nothing for words that need none", () => {
		for (const words of [[], ["fatal: early EOF"], ["fatal: remote error: overloaded"]])
			expect(gitRemedy(words)).to.equal(undefined);
	});
});
