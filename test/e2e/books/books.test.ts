/**
 * Every used token is billed, and its cost is exact to the micro-dollar, whichever process is killed meanwhile.
 * Long: it kills the platform and its agents in the middle of turns.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Stats } from "#shared/contracts/sessions/usage.ts";
import { costMicros, totalTokens } from "#shared/wire/models/token-counts.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { openChat } from "../../support/clients/chat-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { edit, say, shell, turns } from "../../support/model-server/script.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

/** Dollars per million tokens, so micro-dollars per token; whole ones, so that no report is rounded. */
const prices = { input: 3, output: 15, cache_read: 1, cache_write: 4 };

describe("books", function () {
	this.timeout(120_000);
	let folder: string;
	let model: ModelServer;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-books-"));
		const slow = { fault: { kind: "slow", everyMs: 300 } } as const;
		const stalled = { fault: { kind: "stall", after: 1 } } as const;
		const script = turns({
			CHANGE: [shell("echo one > one.txt"), shell("cat one.txt"), say("changed")],
			SLOW: [shell("echo two > two.txt", slow), shell("cat two.txt", slow), say("done at last", slow)],
			STALLED: [shell("echo two > two.txt"), shell("cat two.txt", stalled)],
			EDIT: [(request) => edit(join(platform.workspace(id), "three.txt"), "three\n")(request), say("edited")],
		});
		model = await ModelServer.listen({ script });
		const { endpoints } = model;
		writeFileSync(
			join(folder, "models.yaml"),
			stringify({
				price_version: "test",
				default_model: model.model,
				providers: [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: { anthropic: endpoints.anthropic } }],
				models: [{ id: model.model, name: "Scripted", provider: "scripted", prices }],
			}),
		);
		const config = { models: { file: join(folder, "models.yaml") } };
		platform = await startPlatform({ config, env: { SCRIPTED_KEY: model.key, ...sameDay() } });
		api = platform.client();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await model?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	let id = "";

	async function session(): Promise<Session> {
		return (await api.get<Session>(`/sessions/${id}`)).body;
	}

	/** Checks that the books of the session and of the day have exactly what is billed. */
	async function expectBooks(what: string): Promise<void> {
		const tokens = totalTokens(model.billed.total);
		await eventually(async () => (await session()).tokens_used === tokens, {
			// A pod that could not reach the platform for some time retries at growing intervals.
			withinMs: 40_000,
			what: `${what}: ${tokens} tokens`,
		});
		const { tokens_used, budget } = await session();
		expect(tokens_used, what).to.equal(totalTokens(model.billed.total));
		expect(Math.round(budget.spent * 1e6), what).to.equal(costMicros(model.billed.total, microPrices()));
		const stats = await eventually(async () => {
			const { body } = await api.get<Stats>("/stats");
			return body.tokens_today === tokens_used && body;
		});
		expect(Math.round(stats.cost_today * 1e6), what).to.equal(costMicros(model.billed.total, microPrices()));
		console.log(
			`      ${what}: ${tokens_used} tokens, ${budget.spent.toFixed(6)} dollars, ${model.billed.calls.length} calls`,
		);
	}

	it("are exact after a turn", async () => {
		const created = await api.post<Session>("/sessions", { name: "books", source: { type: "git", repo: "" } });
		id = created.body.id;
		await sessionReaches(api, id, "running");
		const chat = await openChat((await session()).chat_endpoint ?? "", { dialect: "contract" });
		expect(await ask(api, id, "CHANGE")).to.contain("changed");
		await expectBooks("one turn");
		const { budget, message_count } = await session();
		expect(message_count).to.equal(1);
		const { input, output, cache_read, cache_write } = model.billed.total;
		const told = await chat.frame("result");
		chat.socket.terminate();
		expect(told["total_cost_usd"], "in the chat").to.equal(budget.spent);
		expect(told["modelUsage"]).to.deep.equal({
			[model.model]: {
				inputTokens: input,
				outputTokens: output,
				cacheReadInputTokens: cache_read,
				cacheCreationInputTokens: cache_write,
				costUSD: budget.spent,
			},
		});
	});

	it("are exact when the platform is killed during a turn that goes on", async () => {
		const before = model.billed.calls.length;
		await api.post(`/sessions/${id}/messages`, { content: "SLOW" });
		await eventually(() => model.billed.calls.length > before);
		await platform.kill();
		await eventually(() => model.billed.calls.slice(before).filter(({ end }) => end === "whole").length === 3, {
			withinMs: 30_000,
			what: "the turn ends without the platform",
		});
		await platform.start();
		await expectBooks("platform killed");
		expect((await session()).message_count).to.equal(2);
	});

	it("are exact when the session agent is killed in the middle of a turn", async () => {
		const before = model.billed.calls.length;
		await api.post(`/sessions/${id}/messages`, { content: "STALLED" });
		await eventually(() => model.billed.calls[before + 1]?.counts.input, { withinMs: 20_000 });
		await eventually(() => spooled(platform.dataDir).match(/"begun"/g)?.length === before + 2, {
			what: "it is on disk",
		});
		const [agent] = platform.agents();
		process.kill(agent?.pid ?? expect.fail(), "SIGKILL");
		await eventually(async () => (await session()).status === "failed", { withinMs: 15_000, what: "it is failed" });
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		await api.post(`/sessions/${id}/messages`, { content: "EDIT" });
		await eventually(async () => (await api.get(`/sessions/${id}/conversation`)).text.includes("edited"), {
			withinMs: 30_000,
		});
		const cut = model.billed.calls.filter(({ end }) => end === "left");
		expect(cut.map(({ counts }) => counts.input > 0)).to.deep.equal([true]);
		await expectBooks("session agent killed");
	});

	it("are exact after the summary of a session, and remain after its deletion", async () => {
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		await expectBooks("stopped");
		const { body: before } = await api.get<Stats>("/stats");
		expect((await api.delete(`/sessions/${id}`)).status).to.equal(204);
		const { tokens_today, cost_today } = (await api.get<Stats>("/stats")).body;
		expect({ tokens_today, cost_today }).to.deep.equal({
			tokens_today: before.tokens_today,
			cost_today: before.cost_today,
		});
		expect(model.problems).to.deep.equal([]);
	});
});

/** The usage that the session's pod has on disk. */
function spooled(dataDir: string): string {
	const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter((name) =>
		name.endsWith("usage.jsonl"),
	);
	return files.map((name) => readFileSync(join(dataDir, name), "utf8")).join("");
}

function microPrices(): typeof prices {
	return { input: 3_000_000, output: 15_000_000, cache_read: 1_000_000, cache_write: 4_000_000 };
}
