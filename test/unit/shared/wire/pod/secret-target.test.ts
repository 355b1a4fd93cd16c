import { expect } from "chai";
import { posix } from "node:path";
import { isSecretPath, secretTarget } from "#shared/wire/pod/secret-target.ts";
import { Random } from "../../../../faults/random.ts";

const good: [text: string, root: string, path: string][] = [
	["/run/secrets/tls/certificate", "secrets", "tls/certificate"],
	["~/.ssh/id_rsa", "home", ".ssh/id_rsa"],
	["/home/volundr/.npmrc", "home", ".npmrc"],
	["/home/<user>/.config/gh/hosts.yml", "home", ".config/gh/hosts.yml"],
	["~/...", "home", "..."],
	["~/a b/c@d+e=f,g", "home", "a b/c@d+e=f,g"],
];

const bad = [
	"",
	"/",
	"~",
	"~/",
	"/run/secrets",
	"/run/secrets/",
	"/run/secrets/..",
	"/run/secrets/../x",
	"/run/secrets/a/../../x",
	"/run/secrets//x",
	"/run/secrets/./x",
	"/run/secretsx/a",
	"/run/secrets\\x",
	"/etc/passwd",
	"etc/passwd",
	"../x",
	"/home/x",
	"/home//x",
	"/home/../etc/passwd",
	"/home/x/../../etc/passwd",
	"/root/.ssh/id_rsa",
	"~root/.ssh/id_rsa",
	"~/../x",
	"~/.ssh/../../x",
	"~/.ssh/",
	"~//x",
	"~/a\0b",
	"~/a\nb",
	"~/-rf",
	"~/a/-x",
	"~/a ",
	"~/é",
	"~/%2e%2e/x",
	"~/a\\..\\b",
	"~/.gitconfig",
	"~/.gitconfig/x",
	"~/.git-credentials",
	"~/.secrets/env.sh",
	"/run/secrets/env.sh",
	"/run/secrets/token",
	"/run/secrets/git-credentials",
	"/run/secrets/files/0",
	`~/${"a/".repeat(10)}b`,
	`~/${"a".repeat(101)}`,
	`~/${"ab/".repeat(9)}${"c".repeat(600)}`,
	"$HOME/x",
	"file:///run/secrets/x",
	" /run/secrets/x",
	"C:\\x",
];

const pieces = [
	"..",
	".",
	"",
	"a",
	".ssh",
	"...",
	"\0",
	"\n",
	"%2e%2e",
	"%2f",
	"a b",
	" ",
	"~",
	"-rf",
	"é",
	"\\",
	"..\\",
	"x".repeat(120),
	"run",
	"secrets",
	"home",
	"env.sh",
	".gitconfig",
	"$HOME",
	"*",
	"\u202e",
	"\ufeff..",
	".. ",
	" ..",
	"etc",
	"passwd",
];
const starts = ["/run/secrets/", "~/", "/home/me/", "/", "", "/run/secrets/../", "/home/", "~"];

describe("secretTarget()", () => {
	for (const [text, root, path] of good)
		it(`takes ${text}`, () => expect(secretTarget(text)).to.deep.equal({ root, path }));

	for (const text of bad)
		it(`refuses ${JSON.stringify(text).slice(0, 60)}`, () => expect(secretTarget(text)).to.equal(undefined));

	it("takes none of many generated targets out of its root", () => {
		const random = new Random(1_000);
		const texts = Array.from({ length: 1_000 }, () => {
			const parts = Array.from({ length: Math.ceil(random.between(0, 5)) }, () => random.pick(pieces));
			return random.pick(starts) + parts.join("/");
		});
		const taken = texts.map(secretTarget).filter((target) => target !== undefined);
		for (const { root, path } of taken) {
			expect(posix.resolve("/pod", root, path), path).to.equal(`/pod/${root}/${path}`);
			expect(path)
				.to.match(/^[ -~]+$/)
				.and.not.match(/[\\*$%~]|^-|\/-/);
			expect(isSecretPath(root, path)).to.equal(true);
		}
		expect(taken).to.have.length.above(10);
		expect(taken).to.have.length.below(300);
	});
});
