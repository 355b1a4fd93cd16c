/**
 * A model with wrong answers: the built-in agent repeats calls if that may help, says why if not, and never hangs.
 * Long: it waits for the pauses between attempts at a model, 1 s and 4 s for each failure.
 */
import { createServer, type Server } from "node:http";
import { expect } from "chai";
import { type BuiltinWire, builtinWires } from "#agent/builtin/model/model-settings.ts";
import { BuiltinAgent } from "../../../support/agents/builtin-agent.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Fault, Script } from "../../../support/model-server/answer.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import { edit, say, turns } from "../../../support/model-server/script.ts";
import { useFolder } from "../../../support/use-folder.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../../support/machine/loopback-server.ts";

const words = "One two three four five six seven eight nine ten.";
/** The limit on silence for agents that have to notice it; others have the default. */
const idleMs = 1_200;
const wrongKey: Fault = { kind: "status", status: 401, message: "No" };

const known = turns({ hello: [say(words)], change: [edit("a", "a"), say("done")] });

/** Continues an answer where it was cut off, as it is asked to. */
const script: Script = (request) => {
	const [partial, last] = request.items.slice(-2);
	return last?.text.startsWith("Your answer was cut off") && partial
		? { text: words.slice(partial.text.length) }
		: known(request);
};

for (const wire of builtinWires) {
	describe(`the built-in agent and a failing model (${wire})`, () => {
		const folder = useFolder();
		let server: ModelServer;
		let agent: BuiltinAgent;
		beforeEach(async () => {
			server = await ModelServer.listen({ script });
			agent = new BuiltinAgent({ server, wire });
		});
		afterEach(async () => {
			await agent[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
		});

		function impatient(): BuiltinAgent {
			return new BuiltinAgent({ server, wire, env: { ATELIER_MODEL_IDLE_MS: String(idleMs) } });
		}

		async function timed<T>(doing: Promise<T>): Promise<{ value: T; ms: number }> {
			const since = performance.now();
			return { value: await doing, ms: performance.now() - since };
		}

		it("reports the provider's answer to a wrong key at once, and never the key itself", async () => {
			const session = await agent.open(folder());
			const message = `Incorrect API key provided: ${server.key}`;
			server.failNext({ kind: "status", status: 401, message });
			const { value, ms } = await timed(session.failureOf("hello"));
			console.log(`      refused after ${Math.round(ms)} ms`);
			expect(value).to.equal("The model's provider answered 401: Incorrect API key provided: …");
			expect(server.billed.calls).to.have.length(1);
			expect((await session.say("hello")).stopReason, "afterwards").to.equal("end_turn");
		});

		it("repeats a call twice when the provider is overloaded, and then says so", async () => {
			const session = await agent.open(folder());
			const overloaded: Fault = { kind: "status", status: 503, message: "Overloaded" };
			server.failNext(overloaded, overloaded);
			expect((await session.say("hello")).stopReason).to.equal("end_turn");
			server.failNext(overloaded, overloaded, overloaded);
			expect(await session.failureOf("hello")).to.equal("The model's provider answered 503: Overloaded");
			expect(server.billed.calls).to.have.length(6);
		});

		it("waits as long as an overloaded provider asks", async () => {
			const session = await agent.open(folder());
			server.failNext({ kind: "status", status: 429, retryAfterS: 1 });
			const { ms } = await timed(session.say("hello"));
			console.log(`      answered after ${Math.round(ms)} ms`);
			expect(ms).to.be.above(1_000);
		});

		it("does not wait for a provider that asks for minutes", async () => {
			const session = await agent.open(folder());
			server.failNext({ kind: "status", status: 429, retryAfterS: 600, message: "Try again in 10 minutes" });
			const { value, ms } = await timed(session.failureOf("hello"));
			expect(value).to.equal("The model's provider answered 429: Try again in 10 minutes");
			expect(ms).to.be.below(5_000);
		});

		it("continues an interrupted or stalled stream where it ended, without a repetition", async () => {
			await using listening = impatient();
			const session = await listening.open(folder());
			// The first call loads libraries, which would count as silence.
			await session.say("hello");
			for (const fault of [
				{ kind: "broken", after: 4 },
				{ kind: "stall", after: 4 },
			] as const) {
				const before = listening.text.length;
				server.failNext(fault);
				expect((await session.say("hello")).stopReason).to.equal("end_turn");
				expect(listening.text.slice(before)).to.equal(words);
				const [partial, request] = server.requests.at(-1)?.items.slice(-2) ?? [];
				expect(request?.text).to.match(/^Your answer was cut off/);
				expect(partial).to.deep.include({ role: "assistant" }).and.have.property("text").that.is.not.equal("");
			}
		});

		it("ends a turn whose model is silent after three attempts", async () => {
			await using listening = impatient();
			const session = await listening.open(folder());
			// The first call loads libraries, which would count as silence.
			await session.say("hello");
			const before = server.requests.length;
			server.failNext({ kind: "stall" }, { kind: "stall" }, { kind: "stall" });
			const { value, ms } = await timed(session.failureOf("hello"));
			console.log(`      given up after ${Math.round(ms)} ms`);
			expect(value).to.equal("The model's endpoint said nothing for 1.2 s");
			expect(server.requests).to.have.length(before + 3);
			// The bound has three times of silence, and 0.5 and 2 s between them.
			expect(ms).to.be.within(3 * idleMs + 2_500, 3 * (3 * idleMs + 2_500));
		});

		it("keeps the text of a failed or cancelled turn in the conversation", async () => {
			const session = await agent.open(folder());
			server.failNext({ kind: "broken", after: 6 }, wrongKey);
			expect(await session.failureOf("hello")).to.contain("401");
			const said = agent.text;
			server.failNext({ kind: "stall", after: 6 });
			const turn = session.say("hello");
			await eventually(() => agent.text.length > said.length);
			await session.cancel();
			await turn;
			const again = agent.text.slice(said.length);
			await session.say("hello");
			const items = server.requests.at(-1)?.items ?? [];
			expect(said).not.to.equal("");
			expect(items.filter(({ role }) => role === "assistant").map(({ text }) => text)).to.deep.equal([said, again]);
		});

		it("does not call a tool of an interrupted answer", async () => {
			const session = await agent.open(folder());
			server.failNext({ kind: "broken", after: wire === "anthropic" ? 4 : 3 });
			expect((await session.say("change")).stopReason).to.equal("end_turn");
			expect(agent.calls.map(({ title, status }) => [title, status])).to.deep.equal([["Create a", "completed"]]);
		});
	});
}

describe("the built-in agent and an endpoint that ends its answers too early, as if they were whole", () => {
	const folder = useFolder();
	/** The events that each wire sends before it says that it is done. */
	const beginnings: Record<BuiltinWire, object[]> = {
		"openai-chat": [{ id: "1", choices: [{ index: 0, delta: { role: "assistant", content: "half" } }] }],
		anthropic: [
			{
				type: "message_start",
				message: {
					id: "1",
					type: "message",
					role: "assistant",
					model: "m",
					content: [],
					usage: { input_tokens: 1, output_tokens: 1 },
				},
			},
			{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
			{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "half" } },
		],
	};

	for (const wire of builtinWires) {
		it(`does not treat them as complete (${wire})`, async () => {
			const frames = beginnings[wire].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
			await using early = await EarlyEnd.listen(frames);
			await using server = await ModelServer.listen({ script: () => ({}) });
			await using agent = new BuiltinAgent({ server, wire, env: { ATELIER_MODEL_URL: early.url } });
			const session = await agent.open(folder());
			expect(await session.failureOf("hello")).to.match(/answer broke off|ended without a finish reason/);
			expect(agent.text).to.equal("halfhalfhalf");
		});
	}
});

describe("the built-in agent and no model's endpoint at all", () => {
	const folder = useFolder();

	it("says that it cannot be reached", async () => {
		const server = await ModelServer.listen({ script: () => ({}) });
		await using agent = new BuiltinAgent({ server });
		await server[Symbol.asyncDispose]();
		const session = await agent.open(folder());
		const since = performance.now();
		expect(await session.failureOf("hello")).to.match(/^The model did not answer: Cannot connect to API/);
		console.log(`      after ${Math.round(performance.now() - since)} ms`);
	});
});

/** Answers every request with the same part of a stream, and then ends it normally. */
class EarlyEnd implements AsyncDisposable {
	readonly #server: Server;

	private constructor(frames: string) {
		this.#server = createServer((request, response) => {
			request.resume().on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(frames));
		});
	}

	static async listen(frames: string): Promise<EarlyEnd> {
		const early = new EarlyEnd(frames);
		await listenOnLoopback(early.#server);
		return early;
	}

	get url(): string {
		return loopbackUrl(this.#server);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}
}
