import { expect } from "chai";
import fc from "fast-check";
import { readRepositoryUrl, withoutUserinfo } from "#shared/wire/git/repository-url.ts";

const all = ["https", "ssh", "http", "file"];

function refusal(text: string, allowed: readonly string[] = all): string {
	const read = readRepositoryUrl(text, allowed);
	return "refused" in read ? read.refused : "";
}

describe("readRepositoryUrl()", () => {
	for (const text of ["/srv/git/repo", "~/repo", "./repo", "../repo"])
		it(`says how a folder is named: ${text}`, () =>
			expect(refusal(text)).to.include("must begin with https://").and.to.include("file:///path"));

	const accepted: [text: string, url: string, protocol: string][] = [
		["https://github.com/org/repo", "https://github.com/org/repo", "https"],
		["https://git.example.com:8443/org/repo.git", "https://git.example.com:8443/org/repo.git", "https"],
		["github.com/org/repo", "https://github.com/org/repo", "https"],
		["git.example.com:8443/org/repo", "https://git.example.com:8443/org/repo", "https"],
		["ssh://git@github.com/org/repo", "ssh://git@github.com/org/repo", "ssh"],
		["ssh://git@[::1]:2222/repo", "ssh://git@[::1]:2222/repo", "ssh"],
		["git@github.com:org/repo.git", "git@github.com:org/repo.git", "ssh"],
		["http://127.0.0.1:3000/repo", "http://127.0.0.1:3000/repo", "http"],
		["http://localhost/repo", "http://localhost/repo", "http"],
		["http://[::1]:3000/repo", "http://[::1]:3000/repo", "http"],
		["http://2130706433/repo", "http://127.0.0.1/repo", "http"],
		["file:///srv/git/repo", "file:///srv/git/repo", "file"],
	];
	for (const [text, url, protocol] of accepted) {
		it(`reads "${text}"`, () => expect(readRepositoryUrl(text, all)).to.deep.equal({ url, protocol }));
	}

	const refused = [
		"",
		"-u",
		"--upload-pack=touch /tmp/x",
		"--upload-pack=touch",
		"ext::sh",
		"ext::sh -c true",
		"fd::17",
		"::x",
		"git://host/repo",
		"ftp://host/repo",
		"javascript:alert(1)",
		"/srv/git/repo",
		"../repo",
		"repo",
		"https://",
		"https://host",
		"https://user:password@host/repo",
		"https://token@host/repo",
		"ssh://user:password@host/repo",
		"ssh://-oProxyCommand=x/repo",
		"ssh://-oProxyCommand=x@host/repo",
		"ssh://host/-x",
		"git@-host:repo",
		"git@host:-x",
		"host:repo",
		"http://example.com/repo",
		"http://10.0.0.1/repo",
		"http://0.0.0.0/repo",
		"http://localhost.example.com/repo",
		"http://127.0.0.1.example.com/repo",
		"http://127.0.0.1@example.com/repo",
		"http://169.254.169.254/latest",
		"http://2852039166/latest",
		"http://0xa9.0xfe.0xa9.0xfe/latest",
		"http://0251.0376.0251.0376/latest",
		"http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/latest",
		"http://[::ffff:169.254.169.254]/latest",
		"http://[64:ff9b::a9fe:a9fe]/latest",
		"http://[2002:a9fe:a9fe::]/latest",
		"http://0/repo",
		"file://host/repo",
		"https://host/repo\nhttps://other/repo",
		"https://host/%0arepo",
		"https://host/%7Frepo",
		"https://host/re po",
		"https://host/repo?token=x",
		"https://host/repo#x",
		`https://host/${"a".repeat(2_048)}`,
	];
	for (const text of refused) {
		it(`refuses "${text.slice(0, 60)}"`, () => expect(refusal(text)).to.match(/^The repository URL .*[^.]$/));
	}

	it("names the protocols that are allowed", () => {
		expect(refusal("file:///srv/git/repo", ["https", "ssh"])).to.equal(
			'The repository URL "file:///srv/git/repo" uses file; allowed here: https, ssh',
		);
	});

	it("never repeats credentials", () => {
		const secret = fc.stringMatching(/^[\w:/?#%!*~-]{4,250}$/).map((noise) => `hunter2${noise}`);
		fc.assert(
			fc.property(secret, fc.constantFrom("https", "http", "ssh", "ftp"), (password, scheme) => {
				expect(refusal(`${scheme}://user:${password}@host/repo`)).not.to.contain("hunter2");
				expect(refusal(`user:${password}@host/repo`)).not.to.contain("hunter2");
			}),
		);
	});

	it("refuses everything that git could take for an option or for another transport", () => {
		const hostile = fc.tuple(fc.constantFrom("", "-", "ext::", "ssh://", "git@", "https://"), fc.string());
		fc.assert(
			fc.property(hostile, ([start, rest]) => {
				const read = readRepositoryUrl(start + rest, all);
				if ("refused" in read) return;
				expect(read.url).to.match(/^(https|ssh|http|file):\/\/|^[\w.][\w.-]*@[\w.]/);
				expect(read.url).not.to.match(/[\s\p{Cc}]/u);
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe("withoutUserinfo()", () => {
	it("removes the credentials and keeps the URL", () => {
		expect(withoutUserinfo("fatal: unable to access 'https://user:secret@host/repo/': refused")).to.equal(
			"fatal: unable to access 'https://host/repo/': refused",
		);
	});

	it("leaves no password in any text", () => {
		const noise = fc.string().map((text) => text.replaceAll(/[\s/"']/g, ""));
		fc.assert(
			fc.property(
				fc.string(),
				fc.constantFrom("https", "http", "ssh"),
				noise,
				fc.string(),
				(before, scheme, user, after) => {
					const words = withoutUserinfo(`${before}${scheme}://${user}:hunter2@host/repo${after}`);
					expect(words).to.not.contain("hunter2@");
					expect(words).to.contain("host/repo");
				},
			),
			{ numRuns: 10_000 },
		);
	});
});
