/** A failing model is reported within seconds, and a turn that it ends has failed, whatever its agent reports. */
import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Timeline } from "#shared/contracts/sessions/chronicles.ts";
import type { SessionEvent } from "#shared/contracts/sessions/session-events.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { agentTree } from "../../support/agents/agent-tree.ts";
import { AgentTalk } from "../../support/agents/agent-talk.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { type ChatClient, openChat } from "../../support/clients/chat-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const promisedMs = 15_000;

describe("a turn whose model calls fail", function () {
	this.timeout(90_000);
	let all: AsyncDisposableStack;
	let close: () => Promise<void>;
	let model: ModelServer;
	let platform: TestPlatform;
	let api: ApiClient;
	let stream: SseClient;
	let chat: ChatClient;
	let talk: AgentTalk;
	let id: string;
	/** The model waits for this before it answers well. */
	let held: Promise<void> = Promise.resolve();
	let provider: string;

	before(async () => {
		all = new AsyncDisposableStack();
		const folder = mkdtempSync(join(tmpdir(), "atelier-failed-"));
		all.defer(() => rmSync(folder, { recursive: true, force: true }));
		model = await ModelServer.listen({ script: async () => (await held, { text: "Here I am." }) });
		let closing: Promise<void> | undefined;
		close = () => (closing ??= model[Symbol.asyncDispose]());
		all.defer(close);
		const file = join(folder, "models.yaml");
		const catalogue = {
			price_version: "test",
			providers: [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: model.endpoints }],
			models: [{ id: model.model, name: "Scripted", provider: "scripted" }],
		};
		writeFileSync(file, stringify(catalogue));
		const env = { MODEL_URL: "{model_url}", MODEL_TOKEN: "{model_token}", MODEL: "{model}" };
		const root = agentTree("scripted-agent.ts", { env, wires: { "openai-chat": {} } });
		const options = { root, config: { models: { file } }, env: { SCRIPTED_KEY: model.key } };
		platform = all.use(await startPlatform(options));
		api = platform.client();
		stream = all.use(await platform.events());
		id = (await api.post<Session>("/sessions", { name: "failing", model: model.model })).body.id;
		await sessionReaches(api, id, "running");
		talk = new AgentTalk(api, id);
		chat = await openChat((await session()).chat_endpoint ?? "");
		all.defer(() => chat.socket.terminate());
		provider = `Provider "scripted" at ${new URL(model.endpoints["openai-chat"]).origin}`;
	});
	after(() => all.disposeAsync());

	async function session(): Promise<Session> {
		return (await api.get<Session>(`/sessions/${id}`)).body;
	}

	/** Makes the next calls fail, each with its number. @returns The sentence of the last. */
	function fail(calls: number): string {
		for (let call = 1; call <= calls; call++) {
			model.failNext({ kind: "status", status: 529, message: `call ${call} meets an overloaded stub` });
		}
		return `${provider} answered 529: call ${calls} meets an overloaded stub`;
	}

	/** The turn has failed with a sentence in every place that shows turns. */
	async function expectFailed(turn: ConversationTurn, sentence: string): Promise<void> {
		expect(turn.metadata).to.include({ stop_reason: "error", error: sentence });
		const replied = turn.metadata["in_reply_to"];
		const result = await eventually(() => chat.all("result").find((frame) => frame["in_reply_to"] === replied));
		expect(result).to.include({ is_error: true, subtype: "error_during_execution", error: sentence });
		expect(chat.all("error").map((frame) => [frame.id, frame.error])).to.deep.include([replied, sentence]);
		const label = sentence.slice(0, 200);
		await eventually(async () => {
			const { body } = await api.get<Timeline>(`/chronicles/${id}/timeline`);
			const { body: events } = await api.get<SessionEvent[]>(`/sessions/${id}/events?limit=500`);
			const isTold = body.events.some((entry) => entry.type === "error" && entry.label === label);
			return isTold && events.some(({ event_type, data }) => event_type === "error" && data["message"] === label);
		});
		await eventually(async () => (await session()).activity_state === "idle");
		expect((await session()).activity_metadata).to.not.have.any.keys("model_error", "attempts");
	}

	it("reports failed calls at once, until one succeeds", async () => {
		const answering = Promise.withResolvers<void>();
		held = answering.promise;
		const sentence = fail(2);
		const since = performance.now();
		const message = await talk.send("call 3\nsay {answer}");
		const isTold = ({ model_error, attempts }: Record<string, unknown>): boolean =>
			model_error === sentence && attempts === 2;
		await eventually(async () => isTold((await session()).activity_metadata), { withinMs: 3 * promisedMs });
		const toldMs = performance.now() - since;
		console.log(`      told after ${Math.round(toldMs)} ms (promised ${promisedMs / 1_000} s)`);
		await stream.event(({ event, data }) => {
			if (event !== "session_activity") return false;
			const { session_id, metadata } = JSON.parse(data);
			return session_id === id && isTold(metadata);
		});
		answering.resolve();
		const { metadata, content } = await talk.answer(message);
		expect([metadata["stop_reason"], metadata["error"]]).to.deep.equal(["end_turn", undefined]);
		expect(content).to.include("Here I am.");
		await eventually(async () => (await session()).activity_state === "idle");
		expect((await session()).activity_metadata).to.not.have.any.keys("model_error", "attempts");
	});

	it("has failed even if the agent reports a normal end and no text", async () => {
		const sentence = fail(2);
		const turn = await talk.say("call 2");
		expect(turn.content, "what people read").to.equal(sentence);
		await expectFailed(turn, sentence);
	});

	it("has failed even if the agent has put the error into its text", async () => {
		const sentence = fail(1);
		const turn = await talk.say("call 1\nsay Sorry: {answer}");
		expect(turn.content).to.match(/^Sorry: .*overloaded stub/);
		await expectFailed(turn, sentence);
	});

	it("shows no address of the session's own model proxy in the agent's words", async () => {
		const sentence = fail(1);
		const turn = await talk.say("call 1\nsay Sorry, url: {url}/chat/completions. Bye");
		expect(turn.content).to.match(/^Sorry, url: the session's model proxy\. Bye/);
		await expectFailed(turn, sentence);
	});

	it("has failed with the provider's words and not the agent's", async () => {
		const sentence = fail(1);
		await expectFailed(await talk.say("call 1\nfail Please check your proxy on port 4711"), sentence);
	});

	it("has succeeded when the last call succeeded, or there was none", async () => {
		for (const message of ["call 1", "say nothing of the model"]) {
			const { metadata } = await talk.say(message);
			expect([metadata["stop_reason"], metadata["error"]], message).to.deep.equal(["end_turn", undefined]);
		}
	});

	it("ends as its agent reports when the failure is not the model's", async () => {
		const { metadata } = await talk.say("call 1\nfail I have lost my notes");
		expect(metadata).to.include({ stop_reason: "error", error: "Internal error: I have lost my notes" });
	});

	it("remains cancelled when a person has cancelled it", async () => {
		const sentence = fail(1);
		const message = await talk.send("call 1\nhang");
		await eventually(async () => (await session()).activity_metadata["model_error"] === sentence);
		await api.post(`/sessions/${id}/interrupt`);
		const { metadata } = await talk.answer(message);
		expect([metadata["stop_reason"], metadata["error"]]).to.deep.equal(["cancelled", undefined]);
	});

	it("names the provider that cannot be reached", async () => {
		await close();
		await expectFailed(
			await talk.say("call 2"),
			`${provider} cannot be reached: ECONNREFUSED (nothing listens there: start its server, or choose another model)`,
		);
	});
});
