/** Reads the usage of a call from the bytes of its answer, cut at any place. */
import { expect } from "chai";
import fc from "fast-check";
import { MeteredEvents, MeteredWhole } from "#shared/model-proxy/metering/metered-body.ts";
import { UsageMeter } from "#shared/model-proxy/metering/usage-meter.ts";
import { type ModelWire, modelWires } from "#shared/wire/models/model-wire.ts";
import { noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";
import type { Reply, Wire } from "../../../../support/model-server/answer.ts";
import { anthropic } from "../../../../support/model-server/wires/anthropic.ts";
import { gemini } from "../../../../support/model-server/wires/gemini.ts";
import { openaiChat } from "../../../../support/model-server/wires/openai-chat.ts";
import { openaiResponses } from "../../../../support/model-server/wires/openai-responses.ts";

const wires: Record<ModelWire, Wire> = {
	"openai-chat": openaiChat,
	"openai-responses": openaiResponses,
	anthropic,
	gemini,
};

describe("UsageMeter", () => {
	for (const wire of modelWires) {
		it(`reads the same of ${wire} wherever the stream is cut`, async () => {
			await fc.assert(
				fc.asyncProperty(replies(wire), fc.array(fc.nat(10_000), { maxLength: 40 }), async (reply, cuts) => {
					const sent = Buffer.from(streamOf(wire, reply));
					const meter = new UsageMeter(wire);
					const passed = await through(new MeteredEvents(meter, { isChanged: false }), cutUp(sent, cuts));
					expect(passed.equals(sent), "byte for byte").to.equal(true);
					expect(meter.counts).to.deep.equal(reply.counts);
				}),
				{ numRuns: 100 },
			);
		});

		it(`reads ${wire} in one piece`, async () => {
			await fc.assert(
				fc.asyncProperty(replies(wire), fc.array(fc.nat(2_000), { maxLength: 10 }), async (reply, cuts) => {
					const sent = Buffer.from(JSON.stringify(wires[wire].whole(reply)));
					const meter = new UsageMeter(wire);
					const passed = await through(new MeteredWhole(meter, { isHeld: cuts.length % 2 === 0 }), cutUp(sent, cuts));
					expect(passed.equals(sent), "byte for byte").to.equal(true);
					expect(meter.counts).to.deep.equal(reply.counts);
				}),
				{ numRuns: 50 },
			);
		});

		it(`has the usage of an interrupted ${wire} stream that was reported until then`, async () => {
			const reply = replyOf(wire, "text", { input: 90, output: 30, cache_read: 8, cache_write: 0 });
			const frames = wires[wire].stream(reply);
			for (let count = 0; count <= frames.length; count++) {
				const sent = frames.slice(0, count);
				const meter = new UsageMeter(wire);
				await through(new MeteredEvents(meter, { isChanged: false }), [
					Buffer.from(sent.map(({ text }) => text).join("")),
				]);
				expect(meter.counts, `${count} pieces`).to.deep.equal(sent.findLast(({ reported }) => reported)?.reported);
			}
		});
	}

	it("hides only the usage event of a chat stream", async () => {
		await fc.assert(
			fc.asyncProperty(replies("openai-chat"), fc.array(fc.nat(10_000), { maxLength: 40 }), async (reply, cuts) => {
				const frames = openaiChat.stream(reply).map(({ text }) => String(text));
				const meter = new UsageMeter("openai-chat");
				const passed = await through(
					new MeteredEvents(meter, { isChanged: true }),
					cutUp(Buffer.from(frames.join("")), cuts),
				);
				const expected = frames.filter((frame) => !frame.includes('"choices":[],'));
				expect(expected).to.have.lengthOf(frames.length - 1);
				expect(passed.toString()).to.equal(expected.join(""));
				expect(meter.counts).to.deep.equal(reply.counts);
			}),
			{ numRuns: 100 },
		);
	});

	it("passes on events that are too long to be parsed", async () => {
		const long = `data: {"choices":[{"delta":{"content":"${"x".repeat(200_000)}"}}],"usage":null}\n\n`;
		const usage = `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}\n\n`;
		const meter = new UsageMeter("openai-chat");
		const sent = Buffer.from(`${long}${usage}data: [DONE]\n\n`);
		const passed = await through(
			new MeteredEvents(meter, { isChanged: true }),
			cutUp(sent, [1, 70_000, 140_000, 200_010]),
		);
		expect(passed.toString()).to.equal(`${long}data: [DONE]\n\n`);
		expect(meter.counts).to.deep.equal({ ...noTokens, input: 5, output: 2 });
	});

	it("does not mistake text of the model for its usage", async () => {
		const said = `"usage":{"prompt_tokens":999}`;
		const meter = new UsageMeter("openai-chat");
		const events = `data: ${JSON.stringify({ choices: [{ delta: { content: said } }] })}\n\ndata: ${said}\n\n`;
		await through(new MeteredEvents(meter, { isChanged: false }), [Buffer.from(events)]);
		expect(meter.counts).to.equal(undefined);
	});

	it("reads the special forms of providers", () => {
		const cases: [ModelWire, object, TokenCounts][] = [
			// DeepSeek and Moonshot report the cached tokens in other members.
			[
				"openai-chat",
				{ usage: { prompt_tokens: 100, completion_tokens: 7, prompt_cache_hit_tokens: 64 } },
				tokens(36, 7, 64),
			],
			["openai-chat", { usage: { prompt_tokens: 100, completion_tokens: 7, cached_tokens: 40 } }, tokens(60, 7, 40)],
			// xAI and Gemini's chat format report reasoning only in the total.
			["openai-chat", { usage: { prompt_tokens: 100, completion_tokens: 7, total_tokens: 150 } }, tokens(100, 50)],
			[
				"openai-chat",
				{
					usage: {
						prompt_tokens: 100,
						completion_tokens: 7,
						prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 20 },
					},
				},
				tokens(70, 7, 10, 20),
			],
			["openai-chat", { usage: { prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: null } }, tokens(3, 4)],
			[
				"openai-responses",
				{
					response: {
						usage: {
							input_tokens: 9,
							output_tokens: 2,
							input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
						},
					},
				},
				tokens(4, 2, 4, 1),
			],
			// A compaction by the provider is only in the iterations.
			[
				"anthropic",
				{
					type: "message_delta",
					usage: {
						input_tokens: 23,
						output_tokens: 10,
						iterations: [
							{ type: "compaction", input_tokens: 180, output_tokens: 35 },
							{ type: "message", input_tokens: 23, output_tokens: 10, cache_read_input_tokens: 5 },
						],
					},
				},
				tokens(203, 45, 5),
			],
			["gemini", { usageMetadata: { promptTokenCount: 50 } }, tokens(50, 0)],
			// An invalid value counts as 0.
			[
				"gemini",
				{ usageMetadata: { promptTokenCount: -5, candidatesTokenCount: "7", thoughtsTokenCount: 1e12 } },
				tokens(0, 0),
			],
		];
		for (const [wire, value, expected] of cases) {
			const meter = new UsageMeter(wire);
			meter.readWhole(Buffer.from(JSON.stringify(value)));
			expect(meter.counts, JSON.stringify(value)).to.deep.equal(expected);
		}
	});

	it("reads a list of Gemini's answers, as it streams them without events", () => {
		const meter = new UsageMeter("gemini");
		const list = [1, 2, 3].map((candidatesTokenCount) => ({
			usageMetadata: { promptTokenCount: 9, candidatesTokenCount },
		}));
		meter.readWhole(Buffer.from(JSON.stringify(list)));
		expect(meter.counts).to.deep.equal(tokens(9, 3));
	});
});

function tokens(input: number, output: number, cache_read = 0, cache_write = 0): TokenCounts {
	return { input, output, cache_read, cache_write };
}

function replies(wire: ModelWire): fc.Arbitrary<Reply> {
	const count = fc.nat(1_000_000);
	const write = wire === "anthropic" ? count : fc.constant(0);
	const counts = fc.record({ input: count, output: count.map((n) => n + 1), cache_read: count, cache_write: write });
	const text = fc.string({ unit: "grapheme", maxLength: 60 }).map((said) => `${said}\r\n\n"usage":{`);
	return fc.tuple(text, counts).map(([said, told]) => replyOf(wire, said, told));
}

function replyOf(wire: ModelWire, text: string, counts: TokenCounts): Reply {
	const request = {
		...wires[wire].parse({}, "/v1beta/models/m:streamGenerateContent"),
		wire,
		body: {},
		headers: {},
		wantsUsage: true,
	};
	const calls = [{ id: "c", name: "edit", args: { text } }];
	return { id: "1", model: "m", request, text, thought: text, calls, counts, isSilent: false, isCut: false };
}

function streamOf(wire: ModelWire, reply: Reply): string {
	return wires[wire]
		.stream(reply)
		.map(({ text }) => text)
		.join("");
}

function cutUp(bytes: Buffer, cuts: readonly number[]): Buffer[] {
	const ends = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b);
	return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

async function through(stage: MeteredEvents | MeteredWhole, chunks: readonly Buffer[]): Promise<Buffer> {
	const passed: Buffer[] = [];
	stage.on("data", (chunk: Buffer) => passed.push(chunk));
	const ended = new Promise((resolve, reject) => stage.on("end", resolve).on("error", reject));
	for (const chunk of chunks) stage.write(chunk);
	stage.end();
	await ended;
	return Buffer.concat(passed);
}
