/**
 * Reads the usage of a call from the JSON values of its answer: the whole one, or the events of its stream. Pure. Each
 * provider counts in its own way; here the four buckets are exclusive.
 */
import type { ModelWire } from "#shared/models/model-wire.ts";
import type { TokenCounts } from "#shared/models/token-counts.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../../io/json-object.ts";

const maxCount = 100_000_000;

/** Undefined: the value tells nothing. Counts are of the call so far, not of what came since the last value. */
export type UsageForm = (value: JsonObject) => TokenCounts | undefined;

export const usageForms: Record<ModelWire, UsageForm> = {
	"openai-chat": chatUsage,
	"openai-responses": responsesUsage,
	anthropic: anthropicUsage,
	gemini: geminiUsage,
};

/**
 * What is known after one more value. Counts only grow, and a later event may leave out what an earlier one has told
 * (Anthropic's `message_delta` does), so the greater one of each bucket counts.
 */
export function mergeUsage(known: TokenCounts | undefined, told: TokenCounts | undefined): TokenCounts | undefined {
	if (!known || !told) return told ?? known;
	return {
		input: Math.max(known.input, told.input),
		output: Math.max(known.output, told.output),
		cache_read: Math.max(known.cache_read, told.cache_read),
		cache_write: Math.max(known.cache_write, told.cache_write),
	};
}

/**
 * `prompt_tokens` is with the cached ones. Some providers leave reasoning out of `completion_tokens` and have it in the
 * total only (xAI, Gemini's chat format); some tell the cached ones elsewhere (DeepSeek, Moonshot).
 */
function chatUsage({ usage }: JsonObject): TokenCounts | undefined {
	if (!isJsonObject(usage) || !("prompt_tokens" in usage)) return undefined;
	const prompt = count(usage["prompt_tokens"]);
	const details = objectOf(usage["prompt_tokens_details"]);
	const cached = details["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cached_tokens"];
	const output = Math.max(count(usage["completion_tokens"]), count(usage["total_tokens"]) - prompt);
	return exclusive(prompt, output, count(cached), count(details["cache_write_tokens"]));
}

/** `input_tokens` is with the cached ones; only the last event tells it. */
function responsesUsage(value: JsonObject): TokenCounts | undefined {
	const { usage } = objectOf(value["response"] ?? value);
	if (!isJsonObject(usage) || !("input_tokens" in usage)) return undefined;
	const details = objectOf(usage["input_tokens_details"]);
	const [read, write] = [details["cached_tokens"], details["cache_write_tokens"]].map(count);
	return exclusive(count(usage["input_tokens"]), count(usage["output_tokens"]), read ?? 0, write ?? 0);
}

/**
 * Exclusive already: of `message_start`, `message_delta` or a whole message. With `iterations` (a compaction on the
 * provider's side) the total is their sum, and what stands beside them is a part of it.
 */
function anthropicUsage(value: JsonObject): TokenCounts | undefined {
	const { usage } = isJsonObject(value["message"]) ? value["message"] : value;
	if (!isJsonObject(usage)) return undefined;
	const iterations = objectsOf(usage["iterations"]);
	const parts = iterations.length > 0 ? iterations : [usage];
	const sum = (name: string): number => parts.reduce((all, part) => all + count(part[name]), 0);
	return {
		input: sum("input_tokens"),
		output: sum("output_tokens"),
		cache_read: sum("cache_read_input_tokens"),
		cache_write: sum("cache_creation_input_tokens"),
	};
}

/** `promptTokenCount` is with the cached ones; thoughts, and what the provider's own tools read, stand beside. */
function geminiUsage({ usageMetadata: usage }: JsonObject): TokenCounts | undefined {
	if (!isJsonObject(usage)) return undefined;
	const input = count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]);
	const output = count(usage["candidatesTokenCount"]) + count(usage["thoughtsTokenCount"]);
	return exclusive(input, output, count(usage["cachedContentTokenCount"]), 0);
}

/** @param all Input with what was read from and written to the cache. */
function exclusive(all: number, output: number, read: number, write: number): TokenCounts {
	return { input: Math.max(0, all - read - write), output, cache_read: read, cache_write: write };
}

/** Nonsense is no number, nor is what no call can use. */
function count(value: unknown): number {
	return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= maxCount ? Number(value) : 0;
}

function objectOf(value: unknown): JsonObject {
	return isJsonObject(value) ? value : {};
}
