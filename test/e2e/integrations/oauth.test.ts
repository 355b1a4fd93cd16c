/**
 * A person connects a forge by a login. A session gets the token for git, in a file and as a variable, and gets the new one
 * while it runs; in the end nothing is left.
 * Main: a session that runs does not lose its access when the token is replaced.
 */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { forge, OAuthForge } from "../../support/integrations/oauth-forge.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { type GitHttpServer, serveGit } from "../../support/repositories/git-http-server.ts";
import { git, makeRepository } from "../../support/repositories/git-repository.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: ["admin"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

/** The life of tokens in seconds: the platform replaces them at its half. */
const seconds = 20;

interface ConnectionView {
	readonly id: string;
	readonly slug: string;
}

describe("a forge that is connected by a login", function () {
	this.timeout(120_000);
	let folder: string;
	let repositories: GitHttpServer;
	let opened: OAuthForge;
	let platform: TestPlatform;
	let alice: ApiClient;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-oauth-"));
		git(folder, ["clone", "--quiet", "--bare", makeRepository(join(folder, "source")), join(folder, "private.git")]);
		repositories = await serveGit(folder, "oauth2", "nobody knows");
		opened = await OAuthForge.open({
			seconds,
			definition: {
				env_from_credentials: { FORGE_TOKEN: "token" },
				file_mounts: { "~/.forge/token": "token" },
				git_credential: { username: "oauth2", field: "token", url: repositories.url },
			},
		});
		platform = await startPlatform({ config: { identity: { kwargs: { users } }, ...opened.config } });
		alice = as("alice");
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await opened?.[Symbol.asyncDispose]();
		await repositories?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	function as(name: string): ApiClient {
		return platform.client({ authorization: `Bearer token-of-${name}` });
	}

	async function connections(api: ApiClient): Promise<readonly ConnectionView[]> {
		return (await api.get<ConnectionView[]>("/integrations")).body;
	}

	it("gives sessions its token, and the next one while they run", async () => {
		await opened.connect(alice, "alice");
		await opened.connect(alice, "alice");
		expect(
			(await connections(alice)).map(({ slug }) => slug),
			"one connection",
		).to.deep.equal([forge]);

		const { body } = await alice.post<SessionView>("/sessions", { name: "test", source: { type: "git", repo: "" } });
		await sessionReaches(alice, body.id, "running");
		const say = async (command: string) => (await ask(alice, body.id, `$ ${command}`)).trim();
		const token = () => say("cat ~/.forge/token");
		const url = `${repositories.url}/private.git`;
		const first = await eventually(
			async () => {
				// The token may have been replaced since it was read, on a slow machine.
				repositories.password = await token();
				const seen = await say(`rm -rf private; git clone -q ${url} private && cat private/README.md`);
				return seen.includes("# Example") ? repositories.password : undefined;
			},
			{ withinMs: 40_000, what: "the session has cloned with the token" },
		);
		expect(await say('printf %s "$FORGE_TOKEN"')).to.have.length(43);

		const second = await eventually(
			async () => {
				const [connection] = await connections(alice);
				// A use of the connection, which replaces a token that ends soon.
				await alice.post(`/integrations/${connection?.id}/test`);
				const newest = await token();
				return newest === first ? undefined : newest;
			},
			{ withinMs: 60_000, everyMs: 1_000, what: "the running session has a new token" },
		);
		expect(second).not.to.equal("");
		repositories.password = second;
		expect(await say("cd private && git fetch -q 2>&1 && echo fetched")).to.equal("fetched");
		expect(await say('. "$ATELIER_SECRETS/env.sh"; cat ~/.forge/token | grep -cx "$FORGE_TOKEN"')).to.equal("1");
		const known = `cat private/.git/config ~/.gitconfig; ls -R ~ "$ATELIER_SECRETS"; env`;
		expect(await say(known), "the refresh token stays outside").not.to.contain("refresh");
		const logs = await alice.get(`/sessions/${body.id}/logs?lines=2000`);
		for (const secret of [first, second]) expect(logs.text).not.to.contain(secret);

		await alice.post(`/sessions/${body.id}/stop`);
		await sessionReaches(alice, body.id, "stopped");
		await alice.delete(`/sessions/${body.id}`);
	});

	it("is its person's alone, and shows nobody a token", async () => {
		const shown = await alice.get(`/credentials/${forge}-oauth-token`);
		expect(shown.body).to.deep.include({
			secret_type: "oauth_token",
			keys: ["access_token", "refresh_token", "token"],
			metadata: { source: "oauth2", integration: forge },
		});
		for (const name of ["bob", "carol"]) {
			expect(await connections(as(name))).to.deep.equal([]);
			expect((await as(name).get(`/credentials/${forge}-oauth-token`)).status).to.equal(404);
			expect((await as(name).post(`/integrations/oauth/${forge}/disconnect`)).status).to.equal(404);
		}
		const audit = await as("bob").get("/admin/audit");
		expect(audit.text).to.contain("oauth.callback").and.contain("alice");
		const printed = execFileSync("sh", ["-c", 'grep -rlaE "s3cret with a blank" "$1" || true', "sh", platform.dataDir]);
		expect(printed.toString(), "the client's secret is stored nowhere").to.equal("");
		expect(platform.output).not.to.contain("s3cret");
	});

	it("is disconnected: nothing is left, and the provider knows", async () => {
		const revoked = opened.server.asked.length;
		expect((await alice.post(`/integrations/oauth/${forge}/disconnect`)).status).to.equal(204);
		expect(opened.server.asked.slice(revoked)).to.deep.equal(["/token/revocation"]);
		expect(await connections(alice)).to.deep.equal([]);
		expect((await alice.get(`/credentials/${forge}-oauth-token`)).status).to.equal(404);
		expect((await alice.post(`/integrations/oauth/${forge}/disconnect`)).status).to.equal(404);
	});
});
