/**
 * The sentences that a person gets before and after an impossible choice of agent and model, on a platform without
 * any key.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Agent } from "#shared/contracts/agents.ts";
import type { Model } from "#shared/contracts/models.ts";
import type { UsageRecord } from "#shared/contracts/sessions/usage.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { readAgentRecord } from "#shared/wire/agents/agent-records.ts";
import type { ConversationPage } from "#shared/contracts/sessions/sessions.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

describe("choosing an agent and a model", function () {
	this.timeout(60_000);
	let folder: string;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-choices-"));
		const kimi = join(folder, "agents", "kimi");
		mkdirSync(kimi, { recursive: true });
		const { version } = readAgentRecord("kimi").install ?? expect.fail("kimi comes with the platform");
		writeFileSync(join(kimi, "installed.json"), JSON.stringify({ package: "p", version, lock: "l", size_mb: 7 }));
		platform = await startPlatform({ dataDir: folder, env: { OPENAI_API_KEY: "key-of-the-test" } });
		api = new ApiClient(`${platform.url}/api/v1/svc`);
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	const create = (more: object) =>
		api.post<Session>("/sessions", { name: "choice", source: { type: "git", repo: "" }, ...more });

	async function at(id: string, status: string): Promise<Session> {
		return eventually(
			async () => {
				const { body } = await api.get<Session>(`/sessions/${id}`);
				return body.status === status && body;
			},
			{ withinMs: 30_000, what: `the session is ${status}` },
		);
	}

	it("says which members of the request are unknown, in a header and in the warnings of the session", async () => {
		const sentence = 'Unknown member "modle" of the body; did you mean "model"?';
		const { status, headers, body } = await create({ modle: "gpt-5" });
		expect([status, headers.get("atelier-warnings")]).to.deep.equal([201, JSON.stringify(sentence)]);
		expect(body.warnings).to.deep.equal([sentence]);
		expect((await api.get<Session>(`/sessions/${body.id}`)).body.warnings).to.deep.equal([sentence]);
		await api.delete(`/sessions/${body.id}`);
	});

	it("is helped by a list of agents: what each is, what it takes, what is missing, and which models it can use", async () => {
		const { status, body: agents } = await api.get<Agent[]>("/agents");
		expect(status).to.equal(200);
		const byId = new Map(agents.map((agent) => [agent.id, agent]));
		console.log(
			agents.map(({ id, formats, models, missing }) => ({
				id,
				formats: formats.join(),
				models: models.length,
				missing,
			})),
		);
		expect(byId.get("builtin")).to.include({ install_command: null, disk_mb: 0, resumes: true });
		expect(byId.get("builtin")?.missing).to.deep.equal([]);
		const install = (id: string) => `DATA_DIR=${folder} npm run agents -- install ${id}`;
		expect(byId.get("gemini")).to.deep.include({
			licence: "Apache-2.0",
			version: "0.61.0",
			installed_version: null,
			install_command: install("gemini"),
			disk_mb: 100,
			formats: ["gemini"],
			asks: ["files", "commands", "mcp_tools"],
			sandboxes: [],
			mcp: ["stdio", "http"],
			resumes: false,
			missing: [
				'The coding agent "gemini" can use no model now: set GEMINI_API_KEY where the platform is started',
				`The coding agent "gemini" is not installed; install it with: ${install("gemini")}`,
			],
		});
		expect(byId.get("codex")?.missing, "its key is set").to.deep.equal([
			`The coding agent "codex" is not installed; install it with: ${install("codex")}`,
		]);
		const { version: known, installed_version, disk_mb, missing, asks } = byId.get("kimi") ?? expect.fail("no kimi");
		expect([installed_version, disk_mb, missing, asks]).to.deep.equal([known, 7, [], ["commands", "mcp_tools"]]);
		const { body: models } = await api.get<Model[]>("/models");
		for (const { id, formats, models: fitting } of agents) {
			const own = models.filter((model) => model.formats.some((format) => formats.includes(format)));
			expect(fitting, id).to.have.members(own.map((model) => model.id));
		}
	});

	it("takes a model by another name that the list shows, and books its usage under the model's id", async () => {
		const { body: models } = await api.get<Model[]>("/models");
		const { id, aliases } =
			models.find((model) => model.aliases.includes("claude-sonnet-4")) ?? expect.fail("no alias");
		expect([id, aliases]).to.deep.equal(["claude-sonnet-4-6", ["claude-sonnet-4"]]);
		const { status, body: session } = await create({ model: "claude-sonnet-4" });
		expect([status, session.model]).to.deep.equal([201, id]);
		const report = { tokens: 10, provider: "cloud", model: "claude-sonnet-4" };
		const { body: record } = await api.post<UsageRecord>(`/sessions/${session.id}/usage`, report);
		expect(record).to.include({ model: id, cost: 0.00003 });
	});

	it("takes numbers that a client writes as texts, as the contract's first implementation does", async () => {
		const { body: session } = await create({});
		const report = { tokens: "12", provider: "cloud", model: "claude-sonnet-4-6" };
		const { status, body: record } = await api.post<UsageRecord>(`/sessions/${session.id}/usage`, report);
		expect([status, record.tokens]).to.deep.equal([201, 12]);
	});

	it("refuses an unknown model at once", async () => {
		const { status, text, headers } = await create({ model: "claude-sonet-4-6" });
		expect([status, headers.get("x-error-code")]).to.deep.equal([422, "MODEL_UNKNOWN"]);
		expect(text).to.include('did you mean \\"claude-sonnet-4-6\\"?');
	});

	it("fails with everything that is missing: key, format, installation", async () => {
		const { body, status } = await create({ agent: "codex", model: "claude-sonnet-4-6" });
		expect(status).to.equal(201);
		const { status_reason, error } = await at(body.id, "failed");
		const sentences = [
			'Model "claude-sonnet-4-6" cannot be used: ANTHROPIC_API_KEY is not set where the platform was started',
			'The coding agent "codex" speaks openai-responses; model "claude-sonnet-4-6" speaks anthropic',
			`The coding agent "codex" is not installed; install it with: DATA_DIR=${folder} npm run agents -- install codex`,
		];
		expect(status_reason?.code).to.equal("AGENT_START_FAILED");
		expect(error).to.equal(sentences.join(". "));
		console.log(`status_reason: ${status_reason?.message}`);
	});

	it("goes on as a shell with the built-in agent, and says why", async () => {
		const { body } = await create({ model: "claude-sonnet-4-6", initial_prompt: "Hello" });
		await at(body.id, "running");
		const answer = await eventually(
			async () => {
				const { turns } = (await api.get<ConversationPage>(`/sessions/${body.id}/conversation`)).body;
				return turns.find(({ role, content }) => role === "assistant" && content !== "")?.content;
			},
			{ withinMs: 30_000 },
		);
		expect(answer).to.match(/^Model "claude-sonnet-4-6" cannot be used: ANTHROPIC_API_KEY is not set/);
	});

	it("warns when a person should be asked and the agent does not ask", async () => {
		const asking = await create({ agent: "kimi", model: "gpt-5.5", permission_mode: "ask" });
		expect(asking.body.warnings).to.deep.equal(["permission_mode: Kimi Code changes files without asking"]);
		console.log(`warnings: ${asking.body.warnings.join()}`);
		expect((await create({ agent: "kimi", model: "gpt-5.5", permission_mode: "auto" })).body.warnings).to.deep.equal(
			[],
		);
		expect((await create({ permission_mode: "ask" })).body.warnings).to.deep.equal([]);
	});
});
