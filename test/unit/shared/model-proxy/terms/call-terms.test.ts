import { expect } from "chai";
import { callTerms, withOwnTools } from "#shared/model-proxy/terms/call-terms.ts";
import { ProxyError } from "#shared/model-proxy/proxy-error.ts";
import type { ModelWire } from "#shared/wire/models/model-wire.ts";

const paths: Record<ModelWire, string> = {
	"openai-chat": "/chat/completions",
	"openai-responses": "/responses",
	anthropic: "/v1/messages",
	gemini: "/v1beta/models/m:generateContent",
};

const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
const pdf = { type: "document", source: { type: "base64", data: "" } };

function termsOf(wire: ModelWire, body: object, { headers = {}, query = "" } = {}) {
	return callTerms({ wire, path: paths[wire] + query }, { ...body }, { headers, bytes: 4_000 });
}

describe("terms of calls in a session with a budget (H7)", () => {
	const refused: [ModelWire, object, { headers?: Record<string, string>; query?: string }?][] = [
		["openai-chat", { n: 8 }],
		["openai-chat", { best_of: 8 }],
		["openai-chat", { service_tier: "priority" }],
		["openai-chat", { store: true }],
		["openai-chat", { web_search_options: {} }],
		["openai-chat", { modalities: ["text", "audio"] }],
		["openai-chat", { messages: [{ content: [{ type: "input_audio", input_audio: {} }] }] }],
		["openai-chat", { models: ["a", "b"] }],
		["openai-chat", { plugins: [{ id: "web" }] }],
		["openai-chat", { stream: "true" }],
		["openai-chat", { nobody_knows_this: 1 }],
		["openai-chat", { __proto__x: 1, constructor: 1 }],
		["openai-chat", { max_tokens: 10, max_completion_tokens: -1 }],
		["openai-chat", {}, { query: "?api-version=1&alt=proto" }],
		["openai-responses", { background: true }],
		["openai-responses", { service_tier: "flex" }],
		["openai-responses", { prompt: { id: "pmpt_1" } }],
		["openai-responses", { max_output_tokens: "16000" }],
		["anthropic", { max_tokens: Infinity }],
		["anthropic", { max_tokens: 0.5 }],
		["anthropic", { max_tokens: [16_000] }],
		["anthropic", { max_tokens: 2 ** 60 }],
		["anthropic", { speed: "fast" }],
		["anthropic", { inference_geo: "us" }],
		["anthropic", { mcp_servers: [{ url: "https://example.com" }] }],
		["anthropic", { container: "c" }],
		["anthropic", { system: [{ type: "text", text: "", cache_control: { type: "ephemeral", ttl: "1h" } }] }],
		["anthropic", {}, { headers: { "anthropic-beta": "interleaved-thinking-2025-05-14, context-1m-2025-08-07" } }],
		["anthropic", {}, { headers: { "anthropic-beta": "x,".repeat(10_000) } }],
		["anthropic", {}, { headers: { "x-http-method-override": "DELETE" } }],
		["anthropic", {}, { query: "?beta=true&x=1" }],
		["gemini", { generationConfig: { candidateCount: 8 } }],
		["gemini", { generation_config: { candidate_count: 8 } }],
		["gemini", { generationConfig: {}, generation_config: {} }],
		["gemini", { generationConfig: { maxOutputTokens: 1, max_output_tokens: 60_000 } }],
		["gemini", { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinking_budget: 30_000 } } }],
		["gemini", { generationConfig: { responseModalities: ["IMAGE"] } }],
		["gemini", { cachedContent: "cachedContents/1" }],
		["gemini", { contents: [{ parts: [{ inline_data: { mime_type: "audio/wav", data: "" } }] }] }],
		["gemini", {}, { query: "?alt=proto" }],
		["gemini", {}, { query: "?alt=sse&alt=proto" }],
	];
	for (const [wire, body, more] of refused) {
		it(`refuses ${wire} ${JSON.stringify(body).slice(0, 100)} ${JSON.stringify(more ?? {}).slice(0, 80)}`, () => {
			expect(() => termsOf(wire, body, more))
				.to.throw(ProxyError, "A session with a budget may not")
				.with.property("status", 400);
		});
	}

	it("allows what coding agents send", () => {
		termsOf("openai-chat", { model: "m", messages: [], stream: true, max_tokens: 1, seed: null, n: 1, store: false });
		termsOf("openai-responses", { model: "m", input: [], store: false, include: [], reasoning: { effort: "low" } });
		const beta = {
			headers: { "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14" },
			query: "?beta=true",
		};
		const cached = [{ type: "text", text: "", cache_control: { type: "ephemeral" } }];
		termsOf("anthropic", { model: "m", messages: [], system: cached, max_tokens: 9, thinking: {}, metadata: {} }, beta);
		termsOf(
			"gemini",
			{ contents: [], system_instruction: {}, generationConfig: { topK: 1, candidateCount: 1 } },
			{ query: "?alt=sse" },
		);
	});

	const bounded: [string, ModelWire, object, { input: number; output: number }][] = [
		["the bytes, and the window when there is no limit", "openai-chat", {}, { input: 4_000, output: Infinity }],
		[
			"the greatest limit of two",
			"openai-chat",
			{ max_tokens: 1, max_completion_tokens: 900 },
			{ input: 4_000, output: 900 },
		],
		[
			"the window for a picture",
			"openai-chat",
			{ messages: [{ content: [image] }] },
			{ input: Infinity, output: Infinity },
		],
		[
			"the window for what the provider has",
			"openai-responses",
			{ previous_response_id: "r" },
			{ input: Infinity, output: Infinity },
		],
		[
			"the window for a document",
			"anthropic",
			{ max_tokens: 5, messages: [{ content: [pdf] }] },
			{ input: Infinity, output: 5 },
		],
		[
			"thoughts beside the answer",
			"gemini",
			{ generation_config: { max_output_tokens: 10, thinking_config: { thinking_budget: 90 } } },
			{ input: 4_000, output: 100 },
		],
		[
			"a file of the provider",
			"gemini",
			{ contents: [{ parts: [{ file_data: { file_uri: "https://example.com" } }] }] },
			{ input: Infinity, output: Infinity },
		],
	];
	for (const [what, wire, body, atMost] of bounded) {
		it(`takes as the most a call may use: ${what}`, () => {
			expect(termsOf(wire, body).atMost).to.deep.equal(atMost);
		});
	}

	it("leaves out tools that the provider runs, with the choice among none", () => {
		const own = { type: "custom", name: "mine" };
		expect(withOwnTools("anthropic", { tools: [own, { type: "web_search_20250305" }] })).to.deep.equal({
			tools: [own],
		});
		expect(withOwnTools("openai-responses", { tools: [{ type: "web_search" }], tool_choice: "auto" })).to.deep.equal(
			{},
		);
		const mixed = { google_search: {}, function_declarations: [] };
		expect(withOwnTools("gemini", { tools: mixed })).to.deep.equal({ tools: [{ functionDeclarations: [] }] });
	});

	it("examines a deep and a wide body in linear time", () => {
		let deep: object = {};
		for (let level = 0; level < 5_000; level++) deep = { a: [deep] };
		const wide = Array.from({ length: 200_000 }, () => ({ type: "text" }));
		const since = performance.now();
		termsOf("anthropic", { messages: [deep, ...wide], max_tokens: 1 });
		termsOf("gemini", { contents: [{ ["_a".repeat(100_000)]: 1 }] });
		expect(performance.now() - since).to.be.below(5_000);
	});
});
