/**
 * The budget of a session as its user sees it, over REST and SSE, with the built-in agent and a scripted model that
 * bills.
 * Main: a budget holds.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { Stats } from "#shared/contracts/sessions/usage.ts";
import { costMicros, totalTokens } from "#shared/wire/models/token-counts.ts";
import { AgentTalk } from "../../support/agents/agent-talk.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { say, shell, turns } from "../../support/model-server/script.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

/** US dollars per million tokens. */
const prices = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
const priceMicros = { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };

describe("the budget of a session", function () {
	this.timeout(120_000);
	let folder: string;
	let model: ModelServer;
	let platform: TestPlatform;
	let api: ApiClient;
	let stream: SseClient;
	let id: string;
	let talk: AgentTalk;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-budget-"));
		const script = turns({
			HELLO: [say("Hello.")],
			LARGE: [shell("echo one > one.txt", { usage: { input: 1_000_000 } }), say("Never said.")],
			"cut off": [say("The rest.")],
			AFTER: [say("Here again.")],
		});
		model = await ModelServer.listen({ script });
		const file = join(folder, "models.yaml");
		const catalogue = {
			price_version: "test",
			providers: [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: model.endpoints }],
			models: [{ id: model.model, name: "Scripted", provider: "scripted", context_window: 200_000, prices }],
		};
		writeFileSync(file, stringify(catalogue));
		platform = await startPlatform({
			config: { models: { file }, stream: { heartbeat_seconds: 1 } },
			env: { SCRIPTED_KEY: model.key, ...sameDay() },
		});
		api = platform.client();
		stream = await platform.events();
	});

	after(async () => {
		await stream?.close();
		await platform?.[Symbol.asyncDispose]();
		await model?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	async function session(): Promise<Session> {
		return (await api.get<Session>(`/sessions/${id}`)).body;
	}

	/** The provider's bill at our prices. */
	function billed(): number {
		return model.billed.calls.reduce((sum, { counts }) => sum + costMicros(counts, priceMicros), 0) / 1e6;
	}

	function told(accepts: (session: Session) => boolean, what: string): Promise<unknown> {
		return stream.event(
			({ event, data }) => {
				if (event !== "session_updated") return false;
				const body: Session = JSON.parse(data);
				return body.id === id && accepts(body);
			},
			{ withinMs: 15_000, what },
		);
	}

	it("pauses before the first model call, says why, and keeps the message", async () => {
		const request = { name: "poor", model: model.model, budget: { limit: 0.1 } };
		id = (await api.post<Session>("/sessions", request)).body.id;
		talk = new AgentTalk(api, id);
		await sessionReaches(api, id, "running");
		await api.post(`/sessions/${id}/messages`, { content: "HELLO, please" });
		await told(({ budget }) => budget.paused, "the session is paused");
		const { budget, status, status_reason } = await session();
		expect(status).to.equal("running");
		expect(status_reason).to.include({ code: "BUDGET_EXCEEDED" });
		expect(budget).to.deep.include({ limit: 0.1, spent: 0, reserved: 0, paused: true });
		expect(budget.reason).to.include({ scope: "session", spent: 0 });
		expect(budget.reason?.needed).to.be.above(0.1);
		expect(budget.reason?.message).to.match(
			/^The budget of the session, \$0\.10, is too small for one model call, for which \$/,
		);
		const { body } = await api.get<{ turns: { role: string }[] }>(`/sessions/${id}/conversation`);
		expect(body.turns.map(({ role }) => role)).to.deep.equal(["user"]);
		expect(model.requests).to.deep.equal([]);
	});

	it("lets the session go on when the limit is raised, and is billed to the micro-dollar", async () => {
		const since = performance.now();
		expect((await api.put(`/sessions/${id}`, { budget: { limit: 5 } })).status).to.equal(200);
		await eventually(() => model.requests.length > 0, { everyMs: 10, what: "the model is called" });
		console.log(`      called its model ${Math.round(performance.now() - since)} ms after the raise`);
		await told(({ budget, status_reason }) => !budget.paused && status_reason?.code === "POD_READY", "it goes on");
		const settled = await eventually(async () => {
			const now = await session();
			return now.message_count === 1 && now.budget.reserved === 0 ? now : undefined;
		});
		expect(settled.budget).to.deep.equal({ limit: 5, spent: billed(), reserved: 0, paused: false, reason: null });
		expect(settled.tokens_used).to.equal(totalTokens(model.billed.total));
		const { body } = await api.get<Stats>("/stats");
		expect(body).to.include({ tokens_today: settled.tokens_used, cost_today: billed(), active_sessions: 1 });
		await stream.event(({ event, data }) => event === "stats_updated" && data.includes(`"cost_today":${billed()}`));
	});

	it("cuts a turn that would pass it, which says so, and goes on with it after a raise", async () => {
		const before = model.requests.length;
		const limit = billed() + 3.5;
		await api.put(`/sessions/${id}`, { budget: { limit } });
		const { id: cut, metadata } = await talk.say("LARGE, please");
		expect(metadata["stop_reason"]).to.equal("budget");
		expect(metadata["error"]).to.include("does not allow a further model call");
		expect(model.requests, "one call, and none after it").to.have.length(before + 1);
		await eventually(async () => (await session()).budget.spent === billed());
		const paused = await session();
		expect(paused.budget).to.deep.include({ paused: true, limit });
		expect(paused.budget.spent).to.be.below(limit);
		await api.put(`/sessions/${id}`, { budget: { limit: 100 } });
		await eventually(async () => !(await session()).budget.paused);
		expect((await talk.answer(`${cut}-continued`)).content).to.equal("The rest.");
		const { body } = await api.get<{ turns: ConversationTurn[] }>(`/sessions/${id}/conversation`);
		expect(body.turns.find((turn) => turn.id === `${cut}-continued`)?.metadata).to.deep.equal({ continues: cut });
		expect((await talk.say("AFTER, please")).content).to.equal("Here again.");
		expect(model.problems).to.deep.equal([]);
	});

	it("does not override the limit of its owner's day", async () => {
		const owner = (await session()).owner_id ?? "";
		expect((await api.put(`/budgets/users/${owner}`, { limit: billed() + 0.01 })).status).to.equal(200);
		const message = await talk.send("HELLO again");
		await told(({ budget }) => budget.reason?.scope === "user", "its owner's day is over");
		await api.delete(`/budgets/users/${owner}`);
		expect((await talk.answer(message)).content).to.equal("Hello.");
		const { body } = await api.get<{ user: { limit: null; is_default: boolean } }>("/budgets");
		expect(body.user).to.include({ limit: null, is_default: true });
	});
});
