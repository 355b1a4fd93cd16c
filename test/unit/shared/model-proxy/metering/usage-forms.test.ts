import { expect } from "chai";
import fc from "fast-check";
import { mergeUsage, usageForms } from "#shared/model-proxy/metering/usage-forms.ts";
import { type ModelWire, modelWires } from "#shared/wire/models/model-wire.ts";
import { noTokens, type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";

type Row = [wire: ModelWire, what: string, told: object, counts: Partial<TokenCounts>];

const table: Row[] = [
	[
		"openai-chat",
		"plain",
		{ usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 } },
		{ input: 10, output: 3 },
	],
	[
		"openai-chat",
		"with cached tokens among those of the prompt",
		{ usage: { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } } },
		{ input: 6, output: 3, cache_read: 4 },
	],
	[
		"openai-chat",
		"of DeepSeek",
		{ usage: { prompt_tokens: 10, prompt_cache_hit_tokens: 4 } },
		{ input: 6, cache_read: 4 },
	],
	[
		"openai-chat",
		"with more cached than there was",
		{ usage: { prompt_tokens: 3, cached_tokens: 4 } },
		{ cache_read: 4 },
	],
	["openai-chat", "of Moonshot", { usage: { prompt_tokens: 10, cached_tokens: 4 } }, { input: 6, cache_read: 4 }],
	[
		"openai-chat",
		"with reasoning in the total only",
		{ usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 33 } },
		{ input: 10, output: 23 },
	],
	[
		"openai-responses",
		"of the last event",
		{
			type: "response.completed",
			response: { usage: { input_tokens: 10, output_tokens: 3, input_tokens_details: { cached_tokens: 4 } } },
		},
		{ input: 6, output: 3, cache_read: 4 },
	],
	[
		"openai-responses",
		"of a whole answer",
		{ usage: { input_tokens: 10, output_tokens: 3 } },
		{ input: 10, output: 3 },
	],
	[
		"anthropic",
		"of the beginning",
		{
			message: {
				usage: { input_tokens: 10, cache_read_input_tokens: 4, cache_creation_input_tokens: 5, output_tokens: 1 },
			},
		},
		{ input: 10, output: 1, cache_read: 4, cache_write: 5 },
	],
	["anthropic", "of the end", { type: "message_delta", usage: { output_tokens: 30 } }, { output: 30 }],
	[
		"anthropic",
		"whose parts are told one by one",
		{
			usage: {
				input_tokens: 1,
				output_tokens: 1,
				iterations: [
					{ input_tokens: 10, output_tokens: 2 },
					{ input_tokens: 20, output_tokens: 3 },
				],
			},
		},
		{ input: 30, output: 5 },
	],
	[
		"gemini",
		"with thoughts and tools beside",
		{
			usageMetadata: {
				promptTokenCount: 10,
				toolUsePromptTokenCount: 2,
				candidatesTokenCount: 3,
				thoughtsTokenCount: 20,
				cachedContentTokenCount: 4,
			},
		},
		{ input: 8, output: 23, cache_read: 4 },
	],
];

describe("usageForms", () => {
	for (const [wire, what, told, counts] of table) {
		it(`read the usage of ${wire} ${what}`, () => {
			expect(usageForms[wire]({ ...told })).to.deep.equal({ ...noTokens, ...counts });
		});
	}

	it("find no usage in a value without it", () => {
		for (const wire of modelWires)
			for (const value of [{}, { usage: null }, { usage: [] }, { usageMetadata: 7 }, { choices: [] }])
				expect(usageForms[wire](value), `${wire} ${JSON.stringify(value)}`).to.equal(undefined);
	});

	it("ignore impossible counts of a provider", () => {
		const odd = fc.oneof(fc.constantFrom(-1, 1.5, NaN, Infinity, 1e9, "10", null), fc.jsonValue());
		fc.assert(
			fc.property(odd, odd, (one, other) => {
				const chat = { usage: { prompt_tokens: one, completion_tokens: other, cached_tokens: one } };
				const anthropic = { usage: { input_tokens: one, output_tokens: other } };
				const gemini = { usageMetadata: { promptTokenCount: one, candidatesTokenCount: other } };
				for (const counts of [
					usageForms["openai-chat"](chat),
					usageForms["openai-responses"](anthropic),
					usageForms.anthropic(anthropic),
					usageForms.gemini(gemini),
				]) {
					const values = Object.values(counts ?? noTokens);
					expect(values.every((value) => Number.isSafeInteger(value) && value >= 0 && value <= 1e8)).to.equal(true);
				}
			}),
		);
	});
});

describe("mergeUsage()", () => {
	const count = fc.integer({ min: 0, max: 1_000_000 });
	const counts = fc.record({ input: count, output: count, cache_read: count, cache_write: count });

	it("keeps the greater value of each bucket, in any order", () => {
		fc.assert(
			fc.property(counts, counts, (one, other) => {
				const merged = mergeUsage(one, other);
				expect(merged).to.deep.equal(mergeUsage(other, one));
				expect(mergeUsage(merged, one)).to.deep.equal(merged);
				expect(totalTokens(merged ?? noTokens)).to.be.at.least(Math.max(totalTokens(one), totalTokens(other)));
			}),
		);
	});

	it("keeps the known usage when a value has none", () => {
		const known = { ...noTokens, input: 1 };
		expect([mergeUsage(known, undefined), mergeUsage(undefined, known)]).to.deep.equal([known, known]);
		expect(mergeUsage(undefined, undefined)).to.equal(undefined);
	});
});
