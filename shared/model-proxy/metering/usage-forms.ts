/**
 * Reads the usage of a call from the JSON values of its response: the whole one, or the events of its stream. Each
 * provider counts in its own way; here the four counts are exclusive. Pure.
 */
import type { ModelWire } from "#shared/wire/models/model-wire.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf } from "#shared/base/schema/parsed-json.ts";

const maxCount = 100_000_000;

/** Returns undefined when the value reports no usage. The counts cover the whole call so far. */
export type UsageForm = (value: JsonObject) => TokenCounts | undefined;

export const usageForms: Record<ModelWire, UsageForm> = {
	"openai-chat": chatUsage,
	"openai-responses": responsesUsage,
	anthropic: anthropicUsage,
	gemini: geminiUsage,
};

/**
 * Merges the counts of one more value. Counts only grow, and a later event may omit what an earlier one reported (as
 * Anthropic's `message_delta` does), so the greater value of each count is used.
 */
export function mergeUsage(known: TokenCounts | undefined, reported: TokenCounts | undefined): TokenCounts | undefined {
	if (!known || !reported) return reported ?? known;
	return {
		input: Math.max(known.input, reported.input),
		output: Math.max(known.output, reported.output),
		cache_read: Math.max(known.cache_read, reported.cache_read),
		cache_write: Math.max(known.cache_write, reported.cache_write),
	};
}

/**
 * `prompt_tokens` includes the cached tokens. Some providers omit reasoning from `completion_tokens` and include it
 * in the total only (xAI, Gemini's chat format); some report the cached tokens elsewhere (DeepSeek, Moonshot).
 */
function chatUsage({ usage }: JsonObject): TokenCounts | undefined {
	if (!isJsonObject(usage) || !("prompt_tokens" in usage)) return undefined;
	const prompt = count(usage["prompt_tokens"]);
	const details = objectOf(usage["prompt_tokens_details"]);
	const cached = details["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cached_tokens"];
	const output = Math.max(count(usage["completion_tokens"]), count(usage["total_tokens"]) - prompt);
	return exclusive(prompt, output, count(cached), count(details["cache_write_tokens"]));
}

/** `input_tokens` includes the cached tokens; only the last event reports it. */
function responsesUsage(value: JsonObject): TokenCounts | undefined {
	const { usage } = objectOf(value["response"] ?? value);
	if (!isJsonObject(usage) || !("input_tokens" in usage)) return undefined;
	const details = objectOf(usage["input_tokens_details"]);
	const [read, write] = [details["cached_tokens"], details["cache_write_tokens"]].map(count);
	return exclusive(count(usage["input_tokens"]), count(usage["output_tokens"]), read ?? 0, write ?? 0);
}

/**
 * The counts of `message_start`, `message_delta` and whole messages are exclusive already. With `iterations` (a
 * compaction by the provider) the total is the sum of its members, and the counts beside it are a part of that sum.
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

/** `promptTokenCount` includes cached tokens, but not thoughts and what the provider's own tools have read. */
function geminiUsage({ usageMetadata: usage }: JsonObject): TokenCounts | undefined {
	if (!isJsonObject(usage)) return undefined;
	const input = count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]);
	const output = count(usage["candidatesTokenCount"]) + count(usage["thoughtsTokenCount"]);
	return exclusive(input, output, count(usage["cachedContentTokenCount"]), 0);
}

/** @param all The input including the tokens that were read from and written to the cache. */
function exclusive(all: number, output: number, read: number, write: number): TokenCounts {
	return { input: Math.max(0, all - read - write), output, cache_read: read, cache_write: write };
}

/** A value that is no number, or that no call can reach, counts as 0. */
function count(value: unknown): number {
	return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= maxCount ? Number(value) : 0;
}

function objectOf(value: unknown): JsonObject {
	return isJsonObject(value) ? value : {};
}
