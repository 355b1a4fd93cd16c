/**
 * A session gets the credentials that it names: variables, files, git; afterwards nothing of them is left anywhere.
 * Main: a running agent has its credentials, and nobody else does.
 */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { git, makeRepository } from "../../support/repositories/git-repository.ts";
import { serveGit, type GitHttpServer } from "../../support/repositories/git-http-server.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, type SessionView, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-dora", id: "dora", tenant: "acme", roles: ["admin"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

/** Values that must be nowhere but in the pod and in the encrypted files. */
const canaries = {
	variable: "canary-variable-'\"$(x)`\\-one",
	replaced: "canary-replaced-two",
	key: "canary-key-three",
	git: "canary-git-four",
	tenant: "canary-tenant-five",
	bobs: "canary-bobs-six",
};

describe("the credentials of a session", function () {
	this.timeout(90_000);
	let folder: string;
	let server: GitHttpServer;
	let platform: TestPlatform;
	let alice: ApiClient;

	function as(name: string): ApiClient {
		return platform.client({ authorization: `Bearer token-of-${name}` });
	}

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-credentials-"));
		const bare = join(folder, "private.git");
		git(folder, ["clone", "--quiet", "--bare", makeRepository(join(folder, "source")), bare]);
		git(bare, ["config", "http.receivepack", "true"]);
		server = await serveGit(folder, "ada", canaries.git);
		platform = await startPlatform({
			config: { identity: { kwargs: { users } } },
			env: { CREDENTIAL_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") },
		});
		alice = as("alice");
		await store(alice, { name: "api-key", data: { token: canaries.variable } });
		await store(alice, {
			name: "deploy",
			secret_type: "ssh_key",
			data: { private_key: `-----BEGIN KEY-----\n${canaries.key}` },
		});
		await store(alice, {
			name: "git",
			secret_type: "git_credential",
			data: { url: server.url.replace("//", `//ada:${canaries.git}@`) },
		});
		await store(as("bob"), { name: "bobs", data: { token: canaries.bobs } });
		await store(
			as("dora"),
			{ name: "shared", secret_type: "generic", data: { token: canaries.tenant } },
			"/credentials/tenant",
		);
		await store(
			as("dora"),
			{ name: "api-key", secret_type: "generic", data: { token: "the tenant's own" } },
			"/credentials/tenant",
		);
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await server?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	interface Stored {
		readonly name: string;
		readonly secret_type?: string;
		readonly data: Record<string, string>;
	}

	async function store(api: ApiClient, credential: Stored, path = "/credentials"): Promise<void> {
		const { status, text } = await api.post(path, credential);
		expect(status, text).to.equal(201);
		expect(text).not.to.contain("canary");
	}

	async function started(api: ApiClient, names: readonly string[], repo = ""): Promise<SessionView & Warned> {
		const order = { name: "test", source: { type: "git", repo }, credential_names: names };
		const { body } = await api.post<SessionView & Warned>("/sessions", order);
		await sessionReaches(api, body.id, "running");
		return body;
	}

	async function stop(api: ApiClient, id: string): Promise<void> {
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
	}

	/** Returns the files of the data folder that hold a canary. */
	function filesWithCanaries(): string[] {
		const found = execFileSync("sh", ["-c", `grep -rlaE "canary-[a-z]+" "$1" || true`, "sh", platform.dataDir]);
		return found.toString().split("\n").filter(Boolean);
	}

	it("are in its environment, its files and its git, and its private repository is cloned and pushed", async () => {
		const names = ["api-key", "deploy", "git", "shared", "bobs", "no-such"];
		const { id, warnings } = await started(alice, names, `${server.url}/private.git`);
		expect(warnings).to.deep.equal([
			'credential_names: credential "bobs" does not exist',
			'credential_names: credential "no-such" does not exist',
		]);
		const say = (command: string) => answer(alice, id, command);
		expect(await say('printf %s "$API_KEY" | sha256sum')).to.equal(sum(canaries.variable));
		expect(await say('printf %s "$SHARED" | sha256sum')).to.equal(sum(canaries.tenant));
		expect(await say("sha256sum < ~/.ssh/id_rsa")).to.equal(sum(`-----BEGIN KEY-----\n${canaries.key}\n`));
		expect(await say("stat -L -c %a ~/.ssh/id_rsa ~/.ssh $ATELIER_SECRETS/env.sh")).to.equal("600\n700\n600");
		expect(await say('cat "$ATELIER_SECRETS/token" 2>/dev/null; cat README.md')).to.equal("# Example");
		await say("echo more > more.txt && git add . && git commit -qm more && git push -q origin HEAD:refs/heads/pushed");
		expect(git(join(folder, "private.git"), ["log", "-1", "--format=%s", "pushed"]).trim()).to.equal("more");
		await say("git fetch -q origin pushed && git rev-parse -q FETCH_HEAD");
		const where = `cat .git/config ~/.gitconfig; env | grep four; git remote -v`;
		expect(await say(where)).not.to.contain(canaries.git);
		const affected = await alice.delete<{ affected_sessions: { id: string }[] }>("/credentials/deploy");
		expect(affected.status).to.equal(200);
		expect(affected.body.affected_sessions).to.deep.equal([{ id, name: "test" }]);

		await stop(alice, id);
		expect(filesWithCanaries(), "after stopped").to.deep.equal([]);
		await alice.delete(`/sessions/${id}`);
	});

	it("are read again at each start, and the log does not show them", async () => {
		const { id } = await started(alice, ["api-key"]);
		await store(alice, { name: "api-key", data: { token: canaries.replaced } });
		await stop(alice, id);
		await alice.post(`/sessions/${id}/start`);
		await sessionReaches(alice, id, "running");
		expect(await answer(alice, id, 'printf %s "$API_KEY" | sha256sum')).to.equal(sum(canaries.replaced));
		await alice.delete("/credentials/api-key");
		await stop(alice, id);
		await alice.post(`/sessions/${id}/start`);
		await sessionReaches(alice, id, "running");
		expect(await answer(alice, id, 'echo "[$API_KEY]"'), "the tenant's does not take its place").to.equal("[]");
		await alice.delete(`/sessions/${id}`);
	});

	it("go with the pod, also when it is killed", async () => {
		await store(alice, { name: "api-key", data: { token: canaries.variable } });
		const { id } = await started(alice, ["api-key"]);
		expect(
			filesWithCanaries().filter((file) => !file.endsWith("secrets/env.sh")),
			"while it runs",
		).to.deep.equal([]);
		expect(filesWithCanaries(), "while it runs").to.have.length(1);
		for (const { pid } of platform.sessionProcesses()) process.kill(pid, "SIGKILL");
		await eventually(async () => (await alice.get<SessionView>(`/sessions/${id}`)).body.status === "failed", {
			withinMs: 30_000,
			what: "the session is failed",
		});
		await eventually(() => filesWithCanaries().length === 0, { withinMs: 30_000, what: "its secrets are gone" });
		await alice.delete(`/sessions/${id}`);
	});

	it("are in no answer and in no output of the platform", async () => {
		for (const name of ["alice", "bob", "dora", "carol"])
			for (const path of ["/credentials", "/credentials/tenant/list", "/credentials/git", "/sessions"])
				expect((await as(name).get(path)).text, `${path} for ${name}`).not.to.contain("canary");
		expect(platform.output).not.to.contain("canary");
	});

	it("of the tenant set variables of their own name only, and the names of their fields are in the audit log", async () => {
		const dora = as("dora");
		const put = (data: object) => dora.post("/credentials/tenant", { name: "registry", data });
		const setting = await put({ token: "t", api_key: "k", NPM_CONFIG_NODE_OPTIONS: "--import=data:text/javascript,0" });
		expect(setting.status).to.equal(201);
		expect(setting.headers.get("Atelier-Warnings")).to.include("REGISTRY_NPM_CONFIG_NODE_OPTIONS");
		const before = await started(alice, ["registry"]);
		const has = 'echo "$REGISTRY_TOKEN [$NPM_CONFIG_NODE_OPTIONS$REGISTRY_NPM_CONFIG_NODE_OPTIONS]"';
		expect(await answer(alice, before.id, has)).to.equal("t []");
		await alice.delete(`/sessions/${before.id}`);
		expect((await put({ token: "t", api_key: "k" })).status).to.equal(201);
		const entries = await dora.get<{ changed?: { keys?: string[] } }[]>("/admin/audit", {
			query: { resource: "tenant-credentials/registry" },
		});
		expect(entries.body.map(({ changed }) => changed?.keys)).to.deep.equal([
			["token", "api_key"],
			["token", "api_key", "NPM_CONFIG_NODE_OPTIONS"],
		]);
		const { id } = await started(alice, ["registry"]);
		const say = 'echo "$REGISTRY_TOKEN $REGISTRY_API_KEY [$token$API_KEY$REGISTRY]"';
		expect(await answer(alice, id, say)).to.equal("t k []");
		await alice.delete(`/sessions/${id}`);
	});

	it("belong to one person, and those of a tenant to its administrators", async () => {
		expect((await as("bob").get("/credentials/git")).status).to.equal(404);
		expect((await as("dora").get("/credentials/git")).status).to.equal(404);
		expect((await as("bob").delete("/credentials/git")).status).to.equal(404);
		expect((await alice.get("/credentials/tenant/list")).status).to.equal(403);
		expect((await alice.delete("/credentials/tenant/shared")).status).to.equal(403);
		const ofCarol = await as("carol").get<{ credentials: unknown[] }>("/credentials/tenant/list");
		expect(ofCarol.body.credentials).to.deep.equal([]);
		expect((await as("carol").delete("/credentials/tenant/shared")).status).to.equal(404);
		expect((await alice.get("/credentials/git")).status).to.equal(200);
	});
});

interface Warned {
	warnings: string[];
}

/** Returns the output of a command that the agent runs. */
async function answer(api: ApiClient, id: string, command: string): Promise<string> {
	return (await ask(api, id, `$ ${command}`)).trim();
}

/** Returns the output of sha256sum(1) for a text on standard input. */
function sum(text: string): string {
	return execFileSync("sha256sum", { input: text }).toString().trim();
}
