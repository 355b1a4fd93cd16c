/**
 * A session gets the connections of its owner: variables, files, MCP servers and git, as a definition says that is added
 * while the platform runs. Afterwards nothing of them is left anywhere.
 */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { ConversationPage } from "#shared/contracts/sessions/sessions.ts";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import { installStandIn } from "../../support/agents/install-stand-in.ts";
import type { Told } from "../../support/agents/telling-agent.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, type SessionView, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { git, makeRepository } from "../../support/repositories/git-repository.ts";
import { type GitHttpServer, serveGit } from "../../support/repositories/git-http-server.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

/** A value that would leave its quotes, and must be nowhere but in the pod and in the encrypted files. */
const canary = "canary-token-'\"$(x)`\\-one";

interface View {
	readonly id: string;
	readonly warnings: string[];
}

describe("the connections of a session's owner", function () {
	this.timeout(90_000);
	let folder: string;
	let server: GitHttpServer;
	let platform: TestPlatform;
	let alice: ApiClient;
	let connection: string;

	function as(name: string): ApiClient {
		return platform.client({ authorization: `Bearer token-of-${name}` });
	}

	function define(file: string, text: string): void {
		writeFileSync(join(folder, "definitions", file), text);
	}

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-integrations-"));
		mkdirSync(join(folder, "definitions"));
		const bare = join(folder, "private.git");
		git(folder, ["clone", "--quiet", "--bare", makeRepository(join(folder, "source")), bare]);
		git(bare, ["config", "http.receivepack", "true"]);
		server = await serveGit(folder, "forge-user", canary);
		const dataDir = join(folder, "data");
		writeFileSync(join(folder, "models.yaml"), stringify(catalogue()));
		installStandIn(dataDir, "qwen", "telling-agent.ts");
		platform = await startPlatform({
			dataDir,
			config: {
				models: { file: join(folder, "models.yaml") },
				identity: { kwargs: { users } },
				integrations: { folder: join(folder, "definitions") },
			},
			env: { CREDENTIAL_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") },
		});
		alice = as("alice");
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await server?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	async function posted<T>(api: ApiClient, path: string, body: object): Promise<T> {
		const { status, body: answer, text } = await api.post<T>(path, body);
		expect(status, text).to.equal(201);
		return answer;
	}

	async function started(api: ApiClient, order: object): Promise<View> {
		const session = await posted<View>(api, "/sessions", { name: "test", ...order });
		await sessionReaches(api, session.id, "running");
		return session;
	}

	async function stop(api: ApiClient, id: string): Promise<void> {
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
	}

	/** Returns the files of the data folder that hold the canary. */
	function filesWithCanary(): string[] {
		const found = execFileSync("sh", ["-c", `grep -rlaE "canary-[a-z]+" "$1" || true`, "sh", platform.dataDir]);
		return found.toString().split("\n").filter(Boolean);
	}

	it("begin with a definition, which needs no code and no restart", async () => {
		const slugs = async () =>
			(await alice.get<{ slug: string }[]>("/integrations/catalog")).body.map(({ slug }) => slug);
		expect(await slugs()).not.to.contain("forge");
		define("broken.yaml", "slug: broken\nname: Broken\nintegration_typo: messaging\n");
		define(
			"forge.yaml",
			stringify({
				slug: "forge",
				name: "Forge",
				integration_type: "source_control",
				adapter: "gitea",
				credential_schema: { required: ["token"], properties: { token: { label: "Token" } } },
				env_from_credentials: { FORGE_TOKEN: "token" },
				file_mounts: { "~/.config/forge/token": "token", "/run/secrets/forge": "token" },
				mcp_server: { name: "forge", command: "true", args: ["-x"], env_from_credentials: { MCP_TOKEN: "token" } },
				git_credential: { username: "forge-user", field: "token", url: server.url },
			}),
		);
		expect(await slugs())
			.to.contain("forge")
			.and.not.to.contain("broken");
		await eventually(() => platform.output.includes('Integration file "broken.yaml": line 3: "integration_typo"'), {
			what: "the log names the file, the line and the key",
		});
		await posted(alice, "/credentials", { name: "forge-token", data: { token: canary } });
		const order = { integration_type: "source_control", slug: "forge", credential_name: "forge-token" };
		connection = (await posted<View>(alice, "/integrations", order)).id;
	});

	it("are in its environment, its files and its git, and its private repository is cloned and pushed", async () => {
		const repo = `${server.url}/private.git`;
		const { id, warnings } = await started(alice, { source: { type: "git", repo }, integration_ids: [connection] });
		expect(warnings).to.deep.equal([]);
		const say = (command: string) => answer(alice, id, command);
		for (const source of [
			'printf %s "$FORGE_TOKEN"',
			'printf %s "$MCP_TOKEN"',
			"cat ~/.config/forge/token",
			'cat "$ATELIER_SECRETS/forge"',
		])
			expect(await say(`${source} | sha256sum`), source).to.equal(sum(canary));
		expect(await say("cat README.md")).to.equal("# Example");
		await say("echo more > more.txt && git add . && git commit -qm more && git push -q origin HEAD:refs/heads/pushed");
		expect(git(join(folder, "private.git"), ["log", "-1", "--format=%s", "pushed"]).trim()).to.equal("more");
		expect(await say("cat .git/config ~/.gitconfig; env | grep ^GIT; git remote -v")).not.to.contain("canary");

		const gone = await alice.delete<{ affected_sessions: { id: string }[] }>("/credentials/forge-token");
		expect(gone.body.affected_sessions).to.deep.equal([{ id, name: "test" }]);
		await posted(alice, "/credentials", { name: "forge-token", data: { token: canary } });
		await stop(alice, id);
		expect(filesWithCanary(), "after stopped").to.deep.equal([]);
		await alice.delete(`/sessions/${id}`);
	});

	it("are those that are enabled when it names none, and MCP servers have their variables", async () => {
		const order = { agent: "qwen", model: "none", initial_prompt: "tell", source: { type: "git", repo: "" } };
		const { id } = await started(alice, order);
		const told = await toldBy(alice, id);
		expect(told.mcpServers).to.deep.equal(["forge"]);
		expect(told.mcpEnv["forge"]).to.deep.equal({ MCP_TOKEN: canary });
		expect(told.env["FORGE_TOKEN"]).to.equal(canary);
		const affected = await alice.delete<{ affected_sessions: { id: string }[] }>("/credentials/forge-token");
		expect(affected.body.affected_sessions.map((one) => one.id)).to.deep.equal([id]);
		await stop(alice, id);

		// The credential is gone and the connection is there: the session goes on, and its log says what is missing.
		await alice.post(`/sessions/${id}/start`);
		await sessionReaches(alice, id, "running");
		const log = (await alice.get(`/sessions/${id}/logs?lines=200`)).text;
		expect(log).to.contain('integration \\"forge\\": credential \\"forge-token\\" does not exist');
		expect(log).not.to.contain("canary");
		await stop(alice, id);
		await posted(alice, "/credentials", { name: "forge-token", data: { token: canary } });
		expect((await alice.put(`/integrations/${connection}`, { enabled: false })).status).to.equal(200);
		const { id: other, warnings } = await started(alice, { ...order, integration_ids: [connection] });
		expect(warnings).to.deep.equal([`integration_ids: connection "${connection}" is disabled`]);
		expect((await toldBy(alice, other)).env["FORGE_TOKEN"]).to.equal(undefined);
		expect((await alice.put(`/integrations/${connection}`, { enabled: true })).status).to.equal(200);
		for (const one of [id, other]) await alice.delete(`/sessions/${one}`);
	});

	it("are of use to nobody else, and look as if they did not exist", async () => {
		const { id, warnings } = await started(as("bob"), {
			source: { type: "git", repo: "" },
			integration_ids: [connection],
		});
		expect(warnings).to.deep.equal([`integration_ids: connection "${connection}" does not exist`]);
		expect(await answer(as("bob"), id, 'echo "[$FORGE_TOKEN]"; ls "$ATELIER_SECRETS" 2>&1')).not.to.contain("canary");
		await as("bob").delete(`/sessions/${id}`);
		for (const name of ["bob", "carol"]) {
			const other = as(name);
			expect((await other.get("/integrations")).body).to.deep.equal([]);
			for (const [method, path, body] of [
				["PUT", "", { enabled: false }],
				["DELETE", "", undefined],
				["POST", "/test", {}],
			] as const) {
				const of = (which: string) =>
					other.request<{ detail: string }>(method, `/integrations/${which}${path}`, body ? { body } : {});
				const [theirs, nobodys] = [await of(connection), await of("none")];
				expect(theirs.status, `${method} by ${name}`).to.equal(404);
				expect(theirs.text.replace(connection, "none")).to.equal(nobodys.text);
			}
		}
		expect((await alice.get<{ enabled: boolean }[]>("/integrations")).body.map(({ enabled }) => enabled)).to.deep.equal(
			[true],
		);
	});

	it("are in no answer and in no output of the platform", async () => {
		for (const path of ["/integrations", "/integrations/catalog", "/credentials"])
			expect((await alice.get(path)).text, path).not.to.contain("canary");
		expect(platform.output).not.to.contain("canary");
	});
});

/** Returns a catalogue of models with one that nobody answers for. */
function catalogue(): object {
	const endpoints = Object.fromEntries(modelWires.map((wire) => [wire, "http://127.0.0.1:1"]));
	const models = [{ id: "none", name: "None", provider: "none", context_window: 100_000 }];
	return { price_version: "test", providers: [{ id: "none", endpoints }], models };
}

/** Returns the output of a command that the agent runs. */
async function answer(api: ApiClient, id: string, command: string): Promise<string> {
	return (await ask(api, id, `$ ${command}`)).trim();
}

/** Resolves with what the telling agent has answered, after its permission request was answered. */
async function toldBy(api: ApiClient, id: string): Promise<Told> {
	return eventually(
		async () => {
			expect((await api.get<SessionView>(`/sessions/${id}`)).body.error).to.equal(null);
			const { body: waiting } = await api.get<{ request_id: string }[]>(`/sessions/${id}/permissions`);
			for (const { request_id } of waiting)
				await api.post(`/sessions/${id}/permissions/${request_id}`, { behavior: "allow" });
			const { turns } = (await api.get<ConversationPage>(`/sessions/${id}/conversation`)).body;
			const told = turns.find(({ role, content }) => role === "assistant" && content !== "");
			return told && (JSON.parse(told.content) as Told);
		},
		{ withinMs: 60_000, everyMs: 100, what: `the agent of session ${id} has told its settings` },
	);
}

/** Returns the output of sha256sum(1) for a text on standard input. */
function sum(text: string): string {
	return execFileSync("sha256sum", { input: text }).toString().trim();
}
