import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { copySettings, npmLines, pipLines } from "#agent/workspace/person-settings.ts";
import { useFolder } from "../../../support/use-folder.ts";

const npmrc = `; of the company
registry=https://packages.example/npm/
@acme:registry = "https://packages.example/acme/"
cafile=/etc/ca.pem
strict-ssl=true
https-proxy=http://proxy.example:3128
proxy=http://ada:canary@proxy.example:3128
@private:registry=https://ada:canary@private.example/
//packages.example/npm/:_authToken=canary
//packages.example/acme/:_authToken=\${ACME_TOKEN}
//packages.example/other/:_authToken=\${OTHER_TOKEN}
_auth=canary
email=ada@example.com
prefix=/home/ada/.local
script-shell=/home/ada/evil
`;

const publicNpm = [
	"registry=https://packages.example/npm/",
	'@acme:registry = "https://packages.example/acme/"',
	"cafile=/etc/ca.pem",
	"strict-ssl=true",
	"https-proxy=http://proxy.example:3128",
];

describe("npmLines()", () => {
	it("keeps registries, certificates and proxies, and no credential", () => {
		expect(npmLines(npmrc, new Set())).to.deep.equal(publicNpm);
	});

	it("keeps a token that is only referred to, if the session has it", () => {
		const line = "//packages.example/acme/:_authToken=$" + "{ACME_TOKEN}";
		expect(npmLines(npmrc, new Set(["ACME_TOKEN"]))).to.deep.equal([...publicNpm, line]);
	});
});

describe("pipLines()", () => {
	it("keeps indexes and certificates, and no credential", () => {
		const lines = ["[global]", "index-url = https://packages.example/simple", "cert = /etc/ca.pem"];
		const more = ["extra-index-url = https://ada:canary@private.example/simple", "target = /home/ada", "  https://x@y"];
		expect(pipLines([...lines, ...more].join("\n"))).to.deep.equal(lines);
		expect(pipLines("[global]\ntarget = /x\n")).to.deep.equal([]);
	});
});

describe("copySettings()", () => {
	const folder = useFolder();

	it("writes them into the home of the session, and over nothing that is there", async () => {
		const [person, home, other] = [join(folder(), "person"), join(folder(), "home"), join(folder(), "other")];
		for (const path of [person, home, other]) mkdirSync(path);
		writeFileSync(join(person, ".npmrc"), npmrc);
		mkdirSync(join(person, ".pip"));
		writeFileSync(join(person, ".pip/pip.conf"), "[global]\ncert = /etc/ca.pem\n");
		await copySettings(person, home, new Set());
		expect(readFileSync(join(home, ".npmrc"), "utf8")).to.equal(`${publicNpm.join("\n")}\n`);
		expect(readFileSync(join(home, ".config/pip/pip.conf"), "utf8")).to.equal("[global]\ncert = /etc/ca.pem\n");
		writeFileSync(join(other, ".npmrc"), "registry=https://of.the.session\n");
		await copySettings(person, other, new Set());
		expect(readFileSync(join(other, ".npmrc"), "utf8")).to.equal("registry=https://of.the.session\n");
		await copySettings("", join(folder(), "nobody"), new Set());
		expect(existsSync(join(folder(), "nobody"))).to.equal(false);
	});
});
