/** The terms of Anthropic's format in a session with a budget. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { any, isOneOf, isSwitch, isText, type WireTerms } from "./wire-terms.ts";

/** The tools that run on the caller's side, or cost tokens only. */
const toolType = /^(?:custom|(?:bash|text_editor|computer|memory|tool_search_tool_(?:regex|bm25))_\d{8})$/;

export const anthropicTerms: WireTerms = {
	members: {
		...any("model", "messages", "system", "max_tokens", "metadata", "stop_sequences", "temperature", "top_k", "top_p"),
		...any("thinking", "tool_choice", "context_management", "output_config", "output_format", "cache_control"),
		stream: isSwitch,
		// The other tiers have other prices.
		service_tier: isOneOf("auto", "standard_only"),
	},
	tool: (tool) => (tool["type"] === undefined || isText(tool["type"], toolType) ? tool : undefined),
	outputLimits: ({ max_tokens }) => [max_tokens],
	part({ type, source, cache_control }) {
		// The price list has no price for a cache of an hour, which costs more.
		if (isJsonObject(cache_control) && ![undefined, null, "5m"].includes(cache_control["ttl"] as undefined))
			return "refused";
		const origin = isJsonObject(source) ? source["type"] : undefined;
		if (type === "document" || origin === "url" || origin === "file") return "reference";
		return type === "image" ? "image" : "plain";
	},
	// Anthropic's own clients send this query for features that are not finished.
	query: /^$|^beta=true$/,
};
