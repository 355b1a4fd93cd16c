/**
 * A stop waits for the agent's summary, but never longer than 20 s, and the question appears nowhere.
 * Long: it waits 15 s for an agent that never answers.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Chronicle, Timeline } from "#shared/contracts/sessions/chronicles.ts";
import type { ConversationPage, SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import type { Answer } from "../../support/model-server/answer.ts";
import type { ModelRequest } from "../../support/model-server/model-request.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { say, shell, turns } from "../../support/model-server/script.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

/** The longest stop that the platform promises. */
const stopMs = 20_000;
const secretWord = "tangerine";

function isQuestion({ items }: ModelRequest): boolean {
	return items.some(({ role, text }) => role === "user" && text.startsWith("The session ends now"));
}

describe("a stop with a chronicle", function () {
	this.timeout(120_000);
	let folder: string;
	let model: ModelServer;
	let platform: TestPlatform;
	let api: ApiClient;
	let closing: Answer;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-stop-"));
		const work = turns({ write: [shell("echo one > one.txt"), say("Written.")] });
		model = await ModelServer.listen({ script: (request) => (isQuestion(request) ? closing : work(request)) });
		const file = join(folder, "models.yaml");
		const provider = { id: "scripted", key_env: "SCRIPTED_KEY", endpoints: model.endpoints };
		const models = [{ id: model.model, name: "Scripted", provider: "scripted" }];
		writeFileSync(file, stringify({ price_version: "test", providers: [provider], models }));
		platform = await startPlatform({ config: { models: { file } }, env: { SCRIPTED_KEY: model.key } });
		api = platform.client();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await model?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	async function workedSession(): Promise<string> {
		const { body, text } = await api.post<SessionView>("/sessions", { name: "test", model: model.model });
		expect(body.id, text).to.be.a("string");
		await sessionReaches(api, body.id, "running");
		expect(await ask(api, body.id, "write")).to.equal("Written.");
		return body.id;
	}

	/** Resolves with the milliseconds from the command to `stopped`. */
	async function timeToStop(id: string): Promise<number> {
		const since = performance.now();
		expect((await api.post(`/sessions/${id}/stop`)).status).to.equal(200);
		await sessionReaches(api, id, "stopped");
		const ms = Math.round(performance.now() - since);
		console.log(`      stopped within ${ms} ms`);
		return ms;
	}

	async function told<T>(path: string): Promise<T> {
		const { status, body, text } = await api.get<T>(path);
		expect(status, text).to.equal(200);
		return body;
	}

	it("has the agent's summary; conversation, timeline, stream and log do not contain the question", async () => {
		closing = {
			text: JSON.stringify({ summary: `A ${secretWord} was written.`, key_changes: ["one.txt"], unfinished_work: "" }),
		};
		await using stream = await platform.events();
		const id = await workedSession();
		const states = (): string[] =>
			stream.events.flatMap(({ event, data }) =>
				event === "session_activity" ? [String((JSON.parse(data) as { state: string }).state)] : [],
			);
		await eventually(() => states().at(-1) === "idle", { withinMs: 10_000 });
		await timeToStop(id);
		const chronicle = await told<Chronicle>(`/sessions/${id}/chronicle`);
		expect(chronicle).to.deep.include({
			summary: `A ${secretWord} was written.`,
			key_changes: ["one.txt"],
			status: "draft",
		});
		expect(chronicle.token_usage, "the question is paid for, too").to.be.above(0);

		const { turns: kept } = await told<ConversationPage>(`/sessions/${id}/conversation`);
		expect(kept.map(({ role }) => role)).to.deep.equal(["user", "assistant"]);
		const timeline = await told<Timeline>(`/chronicles/${id}/timeline`);
		const logs = await told<SessionLogs>(`/sessions/${id}/logs?lines=2000`);
		const raw = await told<unknown[]>(`/sessions/${id}/events`);
		for (const [what, value] of Object.entries({ kept, timeline, logs, raw, events: stream.events }))
			expect(JSON.stringify(value), what).to.not.include(secretWord).and.to.not.include("The session ends now");
		expect(states().at(-1)).to.equal("idle");
	});

	it("takes less than 20 s when the agent never answers, and records all changes in git", async () => {
		closing = { text: "…", fault: { kind: "stall" } };
		const id = await workedSession();
		const ms = await timeToStop(id);
		expect(ms, "the agent was given its time").to.be.above(12_000);
		expect(ms).to.be.below(stopMs);
		const chronicle = await told<Chronicle>(`/sessions/${id}/chronicle`);
		expect(chronicle.key_changes).to.deep.equal(["Added one.txt (+1 -0)"]);
		expect(chronicle.summary).to.equal(null);
	});
});
