/**
 * The session's model is called, at its price and within its budget, whichever model an agent or a command names.
 * Needs: curl.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import { costMicros, totalTokens } from "#shared/wire/models/token-counts.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { installStandIn } from "../../support/agents/install-stand-in.ts";
import type { BilledCall } from "../../support/model-server/bill.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

/** Dollars per million tokens equal micro-dollars per token. */
const prices = { input: 10, output: 1, cache_read: 1, cache_write: 10 };
const priceMicros = { input: 10_000_000, output: 1_000_000, cache_read: 1_000_000, cache_write: 10_000_000 };
const usage = { input: 3_000, output: 50, cache_read: 200, cache_write: 0 };
const callMicros = 30_250;

/** Uses only the variables of the agent's environment, and prints the status of each answer. */
const tenCalls = `for n in 1 2 3 4 5 6 7 8 9 10; do
	curl -sS -o answer.json -w '%{http_code} ' "$OPENAI_BASE_URL/chat/completions" \\
		-H "authorization: Bearer $OPENAI_API_KEY" -H 'content-type: application/json' \\
		-d '{"model":"any-other-model","messages":[{"role":"user","content":"hi"}]}'
done`;

describe("the model of a session", function () {
	this.timeout(60_000);
	let folder: string;
	let model: ModelServer;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-session-model-"));
		const dataDir = join(folder, "data");
		installStandIn(dataDir, "qwen", "titling-agent.ts");
		model = await ModelServer.listen({ script: () => ({ text: "A word.", usage }) });
		const file = join(folder, "models.yaml");
		const named = { provider: "scripted", context_window: 100_000 };
		const models = [
			{ id: model.model, name: "Scripted", ...named, prices },
			{ id: "without-price", name: "Without a price", ...named },
		];
		const providers = [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: model.endpoints }];
		writeFileSync(file, stringify({ price_version: "test", providers, models }));
		platform = await startPlatform({ dataDir, config: { models: { file } }, env: { SCRIPTED_KEY: model.key } });
		api = platform.client();
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await model?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	async function opened(name: string, more: object = {}): Promise<string> {
		const request = { name, agent: "qwen", model: model.model, permission_mode: "ask", ...more };
		const { body, text } = await api.post<Session>("/sessions", request);
		expect(body.id, text).to.be.a("string");
		await sessionReaches(api, body.id, "running");
		return body.id;
	}

	/** Resolves with the effect of one message on a session, when its books are complete. */
	async function said(id: string, message: string): Promise<{ answer: string; calls: BilledCall[]; session: Session }> {
		const first = model.billed.calls.length;
		const answer = await ask(api, id, message);
		const calls = model.billed.calls.slice(first);
		const tokens = calls.reduce((sum, { counts }) => sum + totalTokens(counts), 0);
		const session = await eventually(
			async () => {
				const { body } = await api.get<Session>(`/sessions/${id}`);
				return body.tokens_used === tokens && body.budget.reserved === 0 && body;
			},
			{ withinMs: 20_000, what: `${tokens} tokens are in the books, and nothing is held` },
		);
		return { answer, calls, session };
	}

	async function logged(id: string): Promise<string[]> {
		const { body } = await api.get<SessionLogs>(`/sessions/${id}/logs?lines=1000`);
		const lines = body.lines.filter(({ logger }) => logger === "model-proxy");
		return lines.map(({ level, message }) => `${level} ${message}`);
	}

	it("replaces the model that an agent uses for titles, and all calls are billed", async () => {
		const id = await opened("titles");
		const { answer, calls, session } = await said(id, "hello");
		expect(answer).to.match(/^200 .*"model":"scripted-1".*\n200 .*"model":"scripted-1"/);
		expect(calls.map((call) => call.model)).to.deep.equal(["scripted-1", "scripted-1"]);
		expect(costOf(calls)).to.equal(2 * callMicros);
		expect(session.budget.spent).to.equal((2 * callMicros) / 1e6);
		expect(await logged(id)).to.deep.equal([
			'INFO Calls of "gpt-5.6-luna" are calls of the session\'s model "scripted-1"',
		]);
	});

	it("replaces another model in ten calls by plain curl, and they are billed", async () => {
		const id = await opened("curl");
		const { answer, calls, session } = await said(id, `$ ${tenCalls}`);
		expect(answer.trim()).to.equal(Array(10).fill("200").join(" "));
		expect(calls.map((call) => call.model)).to.deep.equal(Array(10).fill("scripted-1"));
		expect(session.budget).to.deep.include({ limit: null, spent: (10 * callMicros) / 1e6, paused: false });
		expect(await logged(id)).to.deep.equal([
			'INFO Calls of "any-other-model" are calls of the session\'s model "scripted-1"',
		]);
		console.log(
			`      without a limit: ${calls.length} of 10 calls answered, all by ${calls[0]?.model}: $${session.budget.spent}`,
		);
	});

	it("replaces another model in a session with a limit: the seventh call is refused, and the session pauses", async () => {
		const id = await opened("limited", { budget: { limit: 0.2 } });
		const { answer, calls, session } = await said(id, `$ ${tenCalls}`);
		expect(answer.trim().split(" ")).to.deep.equal([...Array(6).fill("200"), ...Array(4).fill("402")]);
		expect(calls.map((call) => call.model)).to.deep.equal(Array(6).fill("scripted-1"));
		expect(costOf(calls)).to.equal(6 * callMicros);
		expect(session.budget).to.deep.include({ limit: 0.2, spent: (6 * callMicros) / 1e6, paused: true });
		console.log(
			`      with a limit of $0.2: ${calls.length} of 10 calls answered, the others 402: $${session.budget.spent}, paused`,
		);
	});

	it("costs nothing if it has no price, even if a call names a model with a price", async () => {
		const id = await opened("unpriced", { model: "without-price" });
		const { calls, session } = await said(id, `$ ${tenCalls.replace("any-other-model", model.model)}`);
		expect(calls.map((call) => call.model)).to.deep.equal(Array(10).fill("without-price"));
		expect(session.budget).to.deep.include({ spent: 0, paused: false });
	});
});

function costOf(calls: readonly BilledCall[]): number {
	return calls.reduce((sum, { counts }) => sum + costMicros(counts, priceMicros), 0);
}
