/** The secrets of a template reach agents and operators only. */
import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "default", roles: ["developer"] },
	{ token: "token-of-eve", id: "eve", tenant: "evil", roles: ["admin"] },
];

const template = {
	name: "tools",
	env_vars: { DEPLOY_TOKEN: "canary-variable" },
	mcp_servers: [
		{ name: "far", type: "http", url: "http://me:canary-user@127.0.0.1:1/", headers: { "X-Key": "canary-header" } },
		{ name: "near", command: "true", env: { NEAR_KEY: "canary-environment" } },
	],
};

describe("templates", function () {
	this.timeout(60_000);
	let folder: string;
	let platform: TestPlatform;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-templates-"));
		mkdirSync(join(folder, "templates"));
		writeFileSync(join(folder, "templates", "tools.yaml"), JSON.stringify(template));
		const templates = { kwargs: { folder: join(folder, "templates") } };
		platform = await startPlatform({ config: { templates, identity: { kwargs: { users } } } });
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	it("show values of variables and headers to operators only, and pass them to agents (L7)", async () => {
		const alice = platform.client({ authorization: "Bearer token-of-alice" });
		for (const path of ["/templates", "/templates/tools"]) {
			const { status, text } = await alice.get(path);
			expect(status).to.equal(200);
			const eve = platform.client({ authorization: "Bearer token-of-eve" });
			expect((await eve.get(path)).text, "an administrator of another tenant").to.equal(text);
			expect((await eve.get("/agents")).text).not.to.include(platform.dataDir);
			expect(text).to.include("***").and.to.not.include("canary");
			for (const name of ["DEPLOY_TOKEN", "X-Key", "NEAR_KEY", "far", "near"]) expect(text).to.include(name);
			const whole = (await platform.client().get(path)).text;
			for (const value of ["variable", "header", "environment", "user"]) expect(whole).to.include(`canary-${value}`);
		}
		const body = { name: "hers", template_name: "tools", source: { type: "git", repo: "" } };
		const created = await alice.post<SessionView>("/sessions", body);
		expect(created.status, created.text).to.equal(201);
		await sessionReaches(alice, created.body.id, "running");
		expect(await ask(alice, created.body.id, "$ echo $DEPLOY_TOKEN")).to.include("canary-variable");
	});
});
