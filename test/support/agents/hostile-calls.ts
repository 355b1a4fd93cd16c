/** Calls of a hostile agent to its model, and a provider that bills what they request. */
import type { ModelWire } from "#shared/wire/models/model-wire.ts";
import type { HostileCall } from "./hostile-agent.ts";
import type { Answer } from "../model-server/answer.ts";

/**
 * The prices in dollars per million tokens, which are micro-dollars per token; whole numbers, so that nothing is
 * rounded.
 */
const prices = { input: 10, output: 50, cache_read: 1, cache_write: 10 };
export const priceMicros = { input: 10_000_000, output: 50_000_000, cache_read: 1_000_000, cache_write: 10_000_000 };

/** Two models with a price, and one without. */
export function catalogue(endpoints: Record<ModelWire, string>): object {
	const named = { provider: "scripted", context_window: 50_000 };
	const models = [
		{ id: "scripted-1", name: "Dear", ...named, prices },
		{ id: "scripted-2", name: "Other", ...named, prices },
		{ id: "unpriced", name: "Unpriced", ...named },
	];
	return { price_version: "test", providers: [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints }], models };
}

/** Makes a call of each wire format that writes `OUT` tokens. */
const say = (words: string) => [{ role: "user", content: words }];
export const anthropic = (words: string, more: object = {}) => ({
	model: "scripted-1",
	max_tokens: 2_000,
	messages: say(words),
	...more,
});
export const chat = (words: string, more: object = {}) => ({ model: "scripted-1", messages: say(words), ...more });
const responses = (more: object = {}) => ({
	model: "scripted-1",
	input: "OUT=10",
	max_output_tokens: 2_000,
	...more,
});
const gemini = (words: string, more: object = {}) => ({
	contents: [{ role: "user", parts: [{ text: words }] }],
	...more,
});

/** Bills the output tokens that `OUT=<n>` in the request names. */
export function billedAsAsked(request: { body: object }): Answer {
	const words = JSON.stringify(request.body);
	const output = Number(/OUT=(\d+)/.exec(words)?.[1] ?? 10);
	const usage = { input: 1_000, output, cache_read: 0, cache_write: 0 };
	const isSilent = words.includes("SILENT");
	const fault = words.includes("SLOW") ? ({ kind: "slow", everyMs: 20 } as const) : undefined;
	const stall = words.includes("STALL") ? ({ kind: "stall", after: 2 } as const) : undefined;
	const any = stall ?? fault;
	return { text: "one two three", usage, isSilent, ...(any && { fault: any }) };
}

interface RefusedCall {
	what: string;
	call: HostileCall;
	/** The HTTP status of the refusal. */
	status: number;
}

const own = anthropic("OUT=10");
const elsewhere: [ModelWire, string][] = [
	["anthropic", "/v1/messages/batches"],
	["anthropic", "/v1%2Fmessages"],
	["anthropic", "//v1/messages"],
	["anthropic", "/v1/files"],
	["openai-chat", "/embeddings"],
	["openai-chat", "/images/generations"],
	["gemini", "/v1beta/cachedContents"],
	["gemini", "/v1beta/models/a%2f..%2fscripted-1:generateContent"],
];

/** Calls for usage that is billed elsewhere, later, or in another way. */
export const refusedCalls: readonly RefusedCall[] = [
	refused("an answer that comes later", { wire: "openai-responses", body: responses({ background: true }) }),
	refused("eight answers", { wire: "openai-chat", body: chat("OUT=10", { n: 8 }) }),
	refused("eight candidates", {
		wire: "gemini",
		body: gemini("OUT=10", { generation_config: { candidate_count: 8 } }),
	}),
	refused("two spellings", { wire: "gemini", body: gemini("OUT=10", { generationConfig: {}, generation_config: {} }) }),
	refused("a dearer tier", { wire: "openai-chat", body: chat("OUT=10", { service_tier: "priority" }) }),
	refused("a dearer speed", { body: { ...own, speed: "fast" } }),
	refused("a dearer beta", { body: own, headers: { "anthropic-beta": "a, context-1m-2025-08-07" } }),
	refused("a list of betas without end", { body: own, headers: { "anthropic-beta": "x,".repeat(5_000) } }),
	refused("a dearer cache", {
		body: { ...own, system: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }] },
	}),
	refused("an answer in another form", { wire: "gemini", query: "?alt=proto", body: gemini("OUT=10") }),
	refused("a query twice", { wire: "gemini", query: "?alt=sse&alt=proto", body: gemini("OUT=10") }),
	refused("a query nobody knows", { query: "?tier=fast", body: own }),
	refused("another method in a header", { body: own, headers: { "x-http-method-override": "PUT" } }),
	refused("fewer than no tokens", { body: { ...own, max_tokens: -1 } }),
	refused("more tokens than there are numbers", { body: '{"model":"scripted-1","max_tokens":1e400}' }),
	refused("tokens in words", { body: { ...own, max_tokens: "16000" } }),
	refused("foreign tools", { body: { ...own, mcp_servers: [{ type: "url", url: "https://example.com" }] } }),
	refused("a machine to run code on", { body: { ...own, container: "c" } }),
	refused("a search", { wire: "openai-chat", body: chat("OUT=10", { web_search_options: {} }) }),
	refused("to be stored", { wire: "openai-chat", body: chat("OUT=10", { store: true }) }),
	refused("sound", { wire: "openai-chat", body: chat("OUT=10", { modalities: ["text", "audio"] }) }),
	refused("a cache of its own", { wire: "gemini", body: gemini("OUT=10", { cachedContent: "cachedContents/1" }) }),
	refused("other models to fall back to", { wire: "openai-chat", body: chat("", { models: ["unpriced"] }) }),
	refused("a compressed request", { body: own, headers: { "content-encoding": "gzip" } }, 415),

	...elsewhere.map(([wire, path]) => refused(`${wire}${path}`, { wire, path, body: own }, 404)),
];

function refused(what: string, call: HostileCall, status = 400): RefusedCall {
	return { what, call, status };
}

/** Calls of models that have no price here or do not exist. */
export const otherModels: readonly HostileCall[] = [
	{ body: { ...own, model: "unpriced" } },
	{ body: { ...own, model: "scripted-1 " } },
	{ wire: "gemini", path: "/v1beta/models/unpriced:generateContent", body: gemini("OUT=10") },
	{ wire: "openai-chat", body: chat("OUT=10", { model: "x".repeat(100_000) }) },
];

/** A stream of each wire format, slow enough to be interrupted. */
export const slowStreams: readonly [ModelWire, object][] = [
	["openai-chat", chat("SLOW OUT=2000", { stream: true, max_tokens: 2_000 })],
	["openai-responses", responses({ stream: true, input: "SLOW OUT=2000" })],
	["anthropic", anthropic("SLOW OUT=2000", { stream: true })],
	["gemini", gemini("SLOW OUT=2000")],
];

/** Calls over all wire formats with two names of models. */
export const everywhere: readonly HostileCall[] = [
	{ body: anthropic("OUT=9000", { max_tokens: 9_000 }) },
	{ body: anthropic("OUT=9000", { max_tokens: 9_000, model: "scripted-2" }) },
	{ wire: "openai-chat", body: chat("OUT=9000") },
	{ wire: "openai-responses", body: { model: "scripted-2", input: "OUT=9000" } },
	{ wire: "gemini", body: gemini("OUT=9000") },
];
