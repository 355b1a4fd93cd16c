/** Sessions of a platform that `npm start` runs find the programs and the packages that its person finds in a shell. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { pathOfPerson } from "#shared/config/person-path.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { NpmStart } from "../../support/installations/npm-start.ts";
import { ask, runningSession } from "../../support/platform/session-steps.ts";

const npmrc = `registry=https://packages.example/npm/
@acme:registry=https://packages.example/acme/
cafile=/etc/of-the-person.pem
https-proxy=http://proxy.example:3128
//packages.example/npm/:_authToken=canary-of-npm
`;

/** A command about the tools, the packages and the certificates that a program finds. */
const tools = [
	"command -v node",
	"command -v npm",
	"command -v git",
	"node -v",
	"npm config get registry @acme:registry cafile https-proxy noproxy strict-ssl globalconfig",
	'echo "$NODE_EXTRA_CA_CERTS $SSL_CERT_FILE $https_proxy"',
].join(" && ");

describe("the tools of a session after npm start", function () {
	this.timeout(120_000);
	let folder: string;

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-person-"));
		mkdirSync(join(folder, "home"));
		writeFileSync(join(folder, "home/.npmrc"), npmrc);
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	/** The environment of a person's shell, without what npm added to run this test. */
	function shell(): Record<string, string> {
		return {
			PATH: pathOfPerson(process.env["PATH"] ?? ""),
			HOME: join(folder, "home"),
			NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
			SSL_CERT_FILE: join(folder, "ca.pem"),
			https_proxy: "http://proxy.example:3128",
			NO_UPDATE_NOTIFIER: "1",
		};
	}

	it("are those of the person's own shell, and no token is among them", async () => {
		writeFileSync(join(folder, "ca.pem"), "");
		const expected = execFileSync("sh", ["-c", tools], { cwd: folder, env: shell(), encoding: "utf8" });
		await using npm = await NpmStart.begin(folder, { ...shell(), PODS__ON_EXIT: "stop" });
		const api = new ApiClient(`http://127.0.0.1:${npm.port}/api/v1/svc`);
		const { id } = await runningSession(api);
		expect(await ask(api, id, `$ ${tools}`)).to.equal(expected);
		const all = await ask(api, id, "$ env | cut -d= -f1; cat ~/.npmrc; echo $no_proxy");
		expect(all)
			.to.include("127.0.0.1,")
			.and.not.match(/canary|npm_lifecycle|npm_package|npm_execpath|INIT_CWD/);
		await npm.end("SIGINT", "group");
	});
});
