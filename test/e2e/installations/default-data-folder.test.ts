/**
 * Sessions of a platform that `npm start` runs without any configuration, in a checkout of its own and with a new home folder.
 * Main: the programs of a session do not find the platform's package and repository above them.
 */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { pathOfPerson } from "#shared/config/person-path.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { NpmStart } from "../../support/installations/npm-start.ts";
import { ownCheckout } from "../../support/installations/own-checkout.ts";
import { ask, runningSession, type SessionView, sessionReaches } from "../../support/platform/session-steps.ts";
import { fileUrl, git, makeRepository } from "../../support/repositories/git-repository.ts";

const mocha = join(projectRoot, "node_modules/mocha/bin/mocha.js");

describe("a session of a default installation", function () {
	this.timeout(120_000);
	let folder: string;
	let checkout: string;
	let home: string;
	let npm: NpmStart;
	let api: ApiClient;
	let id: string;

	before(async () => {
		folder = realpathSync(mkdtempSync(join(tmpdir(), "atelier-default-")));
		home = join(folder, "home");
		mkdirSync(home);
		checkout = ownCheckout(join(folder, "checkout"));
		const files = {
			"hello.js": 'require("node:fs"); console.log("hello");\n',
			"test/one.js": 'it("runs", () => {});\n',
		};
		const url = fileUrl(makeRepository(join(folder, "git/one"), files));
		const repos = [
			{ url, path: "one" },
			{ url, path: "two" },
		];
		writeFileSync(join(checkout, "config/templates/both.yaml"), JSON.stringify({ name: "both", repos }));
		npm = await NpmStart.beginIn(checkout, shell());
		api = new ApiClient(`http://127.0.0.1:${npm.port}/api/v1/svc`);
		({ id } = await runningSession(api, url));
	});
	after(async () => {
		await npm?.end("SIGINT", "group");
		await npm?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	/** The environment of a person's shell, without what npm added to run this test, and without any setting of the platform. */
	const shell = () => ({
		PATH: pathOfPerson(process.env["PATH"] ?? ""),
		HOME: home,
		PODS__ON_EXIT: "stop",
		npm_config_update_notifier: "false",
	});

	it("has its files in the home folder of the person, not in the checkout", async () => {
		expect(existsSync(join(home, ".local/share/atelier/store/atelier.db"))).to.equal(true);
		expect(existsSync(join(checkout, "data"))).to.equal(false);
		expect(npm.said).to.not.include("The data folder");
	});

	it("runs npm scripts on the Node of the person's shell", async () => {
		const [own, ofNpm] = (await ask(api, id, "$ command -v node; npm exec -c 'command -v node'")).trim().split("\n");
		expect(ofNpm).to.equal(own);
	});

	it("installs packages into its own workspace", async () => {
		// The output of npm has stars in the place of ids.
		expect(await ask(api, id, '$ basename "$(npm prefix)"')).to.equal("workspace\n");
	});

	it("does not resolve packages of the platform, and runs CommonJS", async () => {
		const command = `$ node -e 'try { require.resolve("moleculer"); console.log("found") } catch ({ code }) { console.log(code) }'; node hello.js`;
		expect(await ask(api, id, command)).to.equal("MODULE_NOT_FOUND\nhello\n");
	});

	it("runs mocha without the configuration of the platform", async () => {
		expect(await ask(api, id, `$ '${process.execPath}' '${mocha}'`)).to.include("1 passing");
	});

	it("finds no repository at the root of a workspace with several ones, wherever the data folder is", async () => {
		const { body } = await api.post<SessionView>("/sessions", { name: "both", template_name: "both" });
		await sessionReaches(api, body.id, "running");
		const workspace = (await ask(api, body.id, "$ pwd -P")).trim();
		git(dirname(dirname(dirname(workspace))), ["init", "--quiet"]);
		expect(
			await ask(api, body.id, "$ git rev-parse --show-toplevel 2>&1; git -C one rev-parse --show-toplevel"),
		).to.match(new RegExp(`^fatal: not a git repository.*\n${workspace}/one\n$`, "s"));
	});
});
