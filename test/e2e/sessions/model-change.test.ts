/** The model of a running session is changed by PUT and in the chat: at its provider at once, otherwise at the next start. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import type { Session, UpdatedSession } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { openChat } from "../../support/clients/chat-client.ts";
import { eventually } from "../../support/eventually.ts";
import { installStandIn } from "../../support/agents/install-stand-in.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { git } from "../../support/repositories/git-repository.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const usage = { input: 1_000, output: 0, cache_read: 0, cache_write: 0 };

describe("the model of a running session", function () {
	this.timeout(60_000);
	let folder: string;
	let model: ModelServer;
	let platform: TestPlatform;
	let api: ApiClient;
	let id: string;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-model-change-"));
		const dataDir = join(folder, "data");
		installStandIn(dataDir, "qwen", "titling-agent.ts");
		model = await ModelServer.listen({ script: () => ({ text: "A word.", usage }) });
		const prices = (input: number) => ({ prices: { input, output: 1, cache_read: 1, cache_write: 1 } });
		const models = [
			{ id: "first", name: "First", provider: "scripted", context_window: 100_000, ...prices(10) },
			{ id: "second", name: "Second", provider: "scripted", context_window: 200_000, ...prices(20) },
			{ id: "elsewhere", name: "Elsewhere", provider: "other", context_window: 100_000, ...prices(30) },
		];
		const providers = ["scripted", "other"].map((name) => ({
			id: name,
			key_env: "SCRIPTED_KEY",
			endpoints: model.endpoints,
		}));
		const file = join(folder, "models.yaml");
		writeFileSync(file, stringify({ price_version: "test", providers, models }));
		platform = await startPlatform({ dataDir, config: { models: { file } }, env: { SCRIPTED_KEY: model.key } });
		api = platform.client();
		const request = { name: "change", agent: "qwen", model: "first", task_type: "fix", workload_type: "reviewer" };
		const { body, text } = await api.post<Session>("/sessions", request);
		expect(body.id, text).to.be.a("string");
		expect(body).to.include({ task_type: "fix", workload_type: "reviewer" });
		id = body.id;
		await sessionReaches(api, id, "running");
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await model?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	/** Resolves to the models that one message called, and to the dollars of the session when they are booked. */
	async function called(): Promise<{ models: string[]; spent: number }> {
		const first = model.billed.calls.length;
		const { budget: before } = await session();
		await ask(api, id, "hello");
		const models = model.billed.calls.slice(first).map((call) => call.model);
		const { budget } = await eventually(
			async () => {
				const now = await session();
				return now.budget.spent > before.spent && now.budget.reserved === 0 && now;
			},
			{ withinMs: 20_000, what: "the calls are in the books" },
		);
		return { models, spent: Math.round((budget.spent - before.spent) * 1e6) / 1e6 };
	}

	async function session(): Promise<Session> {
		return (await api.get<Session>(`/sessions/${id}`)).body;
	}

	async function put(update: object): Promise<UpdatedSession> {
		const { body, status, text } = await api.put<UpdatedSession>(`/sessions/${id}`, update);
		expect(status, text).to.equal(200);
		return body;
	}

	it("is called by the next message after a PUT, at its own price", async () => {
		expect(await called()).to.deep.equal({ models: ["first", "first"], spent: 0.02 });
		expect(await put({ model: "second" })).to.deep.include({ model: "second", applies: { model: "now" } });
		expect(await called()).to.deep.equal({ models: ["second", "second"], spent: 0.04 });
	});

	it("is changed by `set_model` in the chat, and the record has it", async () => {
		const { chat_endpoint } = await session();
		const chat = await openChat(chat_endpoint ?? "");
		chat.say({ type: "set_model", model: "first" });
		expect(await chat.frame("model")).to.deep.equal({ type: "model", model: "first" });
		expect((await session()).model).to.equal("first");
		expect((await called()).models).to.deep.equal(["first", "first"]);
		chat.say({ type: "set_model", model: "nobody-knows" });
		expect((await chat.frame("error")).content).to.equal('The model "nobody-knows" is not in the catalogue');
		expect((await session()).model).to.equal("first");
		chat.socket.terminate();
	});

	it("of another provider has an effect from the next start, as the answers say", async () => {
		expect(await put({ model: "elsewhere", branch: "later" })).to.deep.include({
			model: "elsewhere",
			branch: "later",
			applies: { model: "next_start", branch: "next_start" },
		});
		expect((await called()).models).to.deep.equal(["first", "first"]);
		const { chat_endpoint } = await session();
		const chat = await openChat(chat_endpoint ?? "");
		chat.say({ type: "set_model", model: "elsewhere" });
		expect((await chat.frame("error")).content).to.include("from the session's next start");
		chat.socket.terminate();
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		expect((await put({ model: "elsewhere" })).applies).to.deep.equal({ model: "next_start" });
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		expect(await called()).to.deep.equal({ models: ["elsewhere", "elsewhere"], spent: 0.06 });
		const workspace = join(folder, "data/sessions", id, "workspace");
		expect(git(workspace, ["branch", "--show-current"]), "the branch, too").to.equal("later\n");
	});
});
