/**
 * The proxy passes on what the provider sent, and meters what it bills, to the token.
 * Long: it starts pods with a model.
 */
import { createServer } from "node:http";
import { expect } from "chai";
import type { CallUnderWay } from "#shared/model-proxy/metering/metered-call.ts";
import { type ModelWire, modelWires } from "#shared/wire/models/model-wire.ts";
import { noTokens, type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Fault } from "../../../support/model-server/answer.ts";
import { askModel, toolsOf, userMessage } from "../../../support/model-server/simple-caller.ts";
import { ProxiedModel } from "../../../support/agents/open-proxy.ts";
import { listenOnLoopback, loopbackUrl } from "../../../support/machine/loopback-server.ts";

describe("model proxy: metering", () => {
	for (const wire of modelWires) {
		for (const isStreaming of [true, false]) {
			describe(`${wire}, ${isStreaming ? "streaming" : "whole"}`, () => describeWire(wire, isStreaming));
		}
	}

	it("meters concurrent calls of all wires, with tools, thoughts and failures between, to the token", async () => {
		let isGzipping = false;
		await using model = await ProxiedModel.open((request) => ({
			text: "an answer of some length, with ümläuts 🙂",
			thought: "hmm",
			calls: request.tools.map(({ name }) => ({ name, args: { path: "/a" } })),
			isGzipped: isGzipping && Math.random() < 0.4,
		}));
		const asked = { ...userMessage("hi"), tools: toolsOf(["edit"]) };
		for (let round = 0; round < 5; round++) {
			isGzipping = round % 2 === 1;
			const faults: Fault[] = [
				{ kind: "broken", after: 3 },
				{ kind: "status", status: 429 },
				{ kind: "slow", everyMs: 2 },
			];
			// A compressed response that is interrupted is not read to its interruption.
			if (!isGzipping) model.server.failNext(...faults);
			const calls = modelWires.flatMap((wire) =>
				[true, false].flatMap((isStreaming) =>
					[true, false].map((wantsUsage) => askModel(model.access, wire, { ...asked, isStreaming, wantsUsage })),
				),
			);
			await Promise.allSettled(calls);
		}
		expect(model.metered).to.have.lengthOf(80);
		expect(model.counts).to.deep.equal(model.server.billed.total);
		console.log(`      80 calls, ${totalTokens(model.counts)} tokens metered = billed`);
	});

	it("asks for the usage of a chat stream, and hides it from a caller that did not ask", async () => {
		await using model = await ProxiedModel.open(() => ({ text: "hello" }));
		const asked = { ...userMessage("hi"), isStreaming: true };
		const quiet = await askModel(model.access, "openai-chat", { ...asked, wantsUsage: false });
		expect(quiet).to.include({ text: "hello", counts: undefined });
		expect(quiet.raw).not.to.contain("prompt_tokens");
		expect(model.metered[0]?.counts).to.deep.equal(model.server.billed.total);
		const wanting = await askModel(model.access, "openai-chat", asked);
		expect(wanting.counts).to.deep.equal(model.metered[1]?.counts);
		expect(model.server.requests.map(({ wantsUsage }) => wantsUsage)).to.deep.equal([true, true]);
	});

	it("goes on without the usage if the provider does not know the option, and logs it", async () => {
		await using model = await ProxiedModel.open(({ body }) =>
			body["stream_options"] === undefined
				? { text: "hello" }
				: { fault: { kind: "status", status: 400, message: "unknown field stream_options" } },
		);
		const asked = { ...userMessage("hi"), isStreaming: true, wantsUsage: false };
		for (let call = 0; call < 3; call++) {
			expect(await askModel(model.access, "openai-chat", asked)).to.include({ status: 200, text: "hello" });
		}
		expect(model.server.requests.map(({ wantsUsage }) => wantsUsage)).to.deep.equal([true, false, false, false]);
		expect(model.metered.map(({ counts }) => counts)).to.deep.equal([undefined, undefined, undefined]);
		expect(model.logged.at(-1)).to.equal(
			'The model provider reported no usage of a call of "scripted-1" (openai-chat), whole: it is not in the books (3 so far)',
		);
	});

	it("repeats a call after a 400 for another reason, and passes that answer on", async () => {
		const fault: Fault = { kind: "status", status: 400, message: "no such model" };
		await using model = await ProxiedModel.open(() => ({ fault }));
		const asked = { ...userMessage("hi"), isStreaming: true, wantsUsage: false };
		const answer = await askModel(model.access, "openai-chat", asked);
		expect(answer.status).to.equal(400);
		expect(answer.raw).to.contain("no such model");
		expect(model.metered).to.have.lengthOf(1);
	});

	it("streams and meters a stream with another content type", async () => {
		const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
		const event = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
		let finish = (): void => {};
		const provider = createServer((request, response) => {
			request.resume();
			response
				.writeHead(200, { "content-type": "text/plain" })
				.write('data: {"choices":[{"delta":{"content":"hi"}}]}\n\n');
			finish = () => response.end(event);
		});
		await listenOnLoopback(provider);
		const url = loopbackUrl(provider);
		await using model = await ProxiedModel.open(() => ({}), {
			access: {
				provider: "p",
				location: "local",
				model: "m",
				endpoints: { "openai-chat": url },
				key: "",
				context_window: 1,
			},
		});
		let raw = "";
		const onText = (text: string): string => (raw = text);
		const asking = askModel(model.access, "openai-chat", { ...userMessage("hi"), isStreaming: true, onText });
		await eventually(() => raw.includes('"hi"'), { what: "the beginning comes before the end" });
		finish();
		expect((await asking).text).to.equal("hi");
		expect(model.metered[0]).to.deep.include({ location: "local", counts: { ...noTokens, input: 5, output: 2 } });
		provider.close();
		provider.closeAllConnections();
	});

	it("meters an answer whose end never comes", async () => {
		await using model = await ProxiedModel.open(() => ({ text: "hello", fault: { kind: "broken", after: 100 } }));
		for (const wire of modelWires) {
			for (const isStreaming of [true, false])
				await askModel(model.access, wire, { ...userMessage("hi"), isStreaming });
		}
		expect(model.metered.map(({ end }) => end)).to.deep.equal(Array.from({ length: 8 }, () => "broken"));
		expect(model.counts).to.deep.equal(model.server.billed.total);
		expect(totalTokens(model.counts)).to.be.above(8_000);
	});

	it("reports early usage early, once, under the id of the call", async () => {
		const begun: CallUnderWay[] = [];
		await using model = await ProxiedModel.open(() => ({ text: "hello" }), {
			onBegun: async (call) => void begun.push(call),
		});
		for (const wire of modelWires) await askModel(model.access, wire, { ...userMessage("hi"), isStreaming: true });
		expect(begun.map(({ wire }) => wire)).to.deep.equal(["anthropic", "gemini"]);
		const [anthropic, gemini] = model.metered.slice(2);
		expect(begun.map(({ id }) => id)).to.deep.equal([anthropic?.id, gemini?.id]);
		expect(begun[0]?.counts).to.deep.equal({ ...anthropic?.counts, output: 1 });
	});

	it("has a call in the books before its caller knows that it is over", async () => {
		await using model = await ProxiedModel.open(() => ({ text: "x".repeat(100_000) }));
		for (let call = 1; call <= 20; call++) {
			await askModel(model.access, "anthropic", { ...userMessage("hi"), isStreaming: call % 2 === 0 });
			expect(model.metered).to.have.lengthOf(call);
		}
	});
});

function describeWire(wire: ModelWire, isStreaming: boolean): void {
	const asked = { ...userMessage("hi"), isStreaming };

	it("passes an answer byte for byte and meters it", async () => {
		await using model = await ProxiedModel.open(({ model: name }) => ({ text: `I am ${name} ü`, thought: "hmm" }));
		const direct = await askModel(model.server.access(), wire, asked);
		const before = model.server.billed.total;
		const proxied = await askModel(model.access, wire, asked);
		const renamed = (text: string): string => text.replaceAll("scripted1", "scripted0");
		expect(withoutCounts(renamed(proxied.raw))).to.equal(withoutCounts(direct.raw));
		expect(proxied.headers.get("content-type")).to.equal(direct.headers.get("content-type"));
		const [call] = model.metered;
		expect(call).to.include({
			wire,
			model: "scripted-1",
			provider: "scripted",
			location: "cloud",
			status: 200,
			end: "whole",
		});
		expect(call?.counts).to.deep.equal(difference(model.server.billed.total, before));
		expect(call?.counts).to.deep.equal(proxied.counts);
	});

	it("meters an answer that comes compressed although it was not asked for", async () => {
		await using model = await ProxiedModel.open(() => ({ text: "hello", isGzipped: true }));
		const answer = await askModel(model.access, wire, asked);
		expect(answer.text).to.equal("hello");
		expect(answer.headers.get("content-encoding")).to.equal(null);
		expect(model.counts).to.deep.equal(model.server.billed.total);
		expect(model.server.requests[0]?.headers["accept-encoding"]).to.equal("identity");
	});

	it("passes 401, 429 with its retry-after, and 500 on, and bills nothing", async () => {
		await using model = await ProxiedModel.open(() => ({ text: "hello" }));
		for (const status of [401, 429, 500]) {
			model.server.failNext({ kind: "status", status, retryAfterS: 7 });
			expect(await askModel(model.access, wire, asked)).to.include({ status, retryAfter: "7" });
		}
		expect(model.metered.map(({ status, counts }) => [status, counts])).to.deep.equal([
			[401, undefined],
			[429, undefined],
			[500, undefined],
		]);
		expect(model.logged.at(-1)).to.equal(`The model provider answered 500 to a call of "scripted-1" (${wire})`);
	});

	it("ends where the provider interrupts its answer, and meters what was reported until then", async () => {
		await using model = await ProxiedModel.open(() => ({ text: "hello there" }));
		for (let after = 0; after < 6; after++) {
			model.server.failNext({ kind: "broken", after: isStreaming ? after : 0 });
			const answer = await askModel(model.access, wire, asked);
			expect(answer.isBroken).to.equal(true);
		}
		expect(model.counts).to.deep.equal(model.server.billed.total);
		expect(model.metered.map(({ end }) => end)).to.deep.equal(Array.from({ length: 6 }, () => "broken"));
	});

	it("ends the call when the caller leaves", async () => {
		await using model = await ProxiedModel.open(() => ({
			text: "hello there",
			fault: isStreaming ? { kind: "stall", after: 2 } : { kind: "stall" },
		}));
		const leaving = new AbortController();
		let raw = "";
		const onText = (text: string): string => (raw = text);
		const asking = askModel(model.access, wire, { ...asked, signal: leaving.signal, onText }).catch(() => undefined);
		const [call] = await eventually(() => (model.server.billed.calls.length === 1 ? model.server.billed.calls : false));
		if (isStreaming) await eventually(() => raw.match(/\r?\n\r?\n/g)?.length === 2);
		leaving.abort();
		await asking;
		const metered = await eventually(() => model.metered[0]);
		expect(metered.end).to.equal("left");
		expect(metered.counts ?? noTokens).to.deep.equal(call?.counts);
	});

	it("abandons a silent provider", async () => {
		await using model = await ProxiedModel.open(() => ({ text: "hello" }), { limits: { firstByteMs: 80 } });
		model.server.failNext({ kind: "stall" });
		const silent = await askModel(model.access, wire, asked);
		expect(silent.status).to.equal(504);
		expect(silent.raw).to.contain("did not answer within 0.08 s");
		expect(model.counts).to.deep.equal(model.server.billed.total);
		expect(model.metered[0]).to.include({ status: 0, end: "broken" });
	});

	if (isStreaming) {
		it("abandons a provider that pauses for too long", async () => {
			await using model = await ProxiedModel.open(() => ({ text: "hello" }), { limits: { idleMs: 500 } });
			model.server.failNext({ kind: "stall", after: 1 });
			expect((await askModel(model.access, wire, asked)).isBroken).to.equal(true);
			expect(model.counts).to.deep.equal(model.server.billed.total);
			expect(model.metered[0]).to.include({ status: 200, end: "broken" });
		});
	}
}

/** The numbers differ from call to call. */
function withoutCounts(text: string): string {
	return text.replaceAll(/("\w*_?(?:tokens|TokenCount)"|call_):?\d+/gi, "$1");
}

function difference(all: TokenCounts, before: TokenCounts): TokenCounts {
	const { input, output, cache_read, cache_write } = before;
	return {
		input: all.input - input,
		output: all.output - output,
		cache_read: all.cache_read - cache_read,
		cache_write: all.cache_write - cache_write,
	};
}
